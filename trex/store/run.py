"""StoredRun: the facts of one run; its fields are the columns of the table ``runs``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from trex.core.errors import TrexError
from trex.core.provenance import Provenance
from trex.store.fact import fact, fact_fields

MEASURED, PREDICTED, SIMULATED, SYNTHETIC = "measured", "predicted", "simulated", "synthetic"
PROVENANCES = {
    Provenance.MEASURED: MEASURED,
    Provenance.BUILT_ON_CPU: PREDICTED,
    Provenance.SIMULATED: SIMULATED,
    Provenance.SYNTHETIC: SYNTHETIC,
}
"""Origin of a run's times → the word in the tables."""


SKEW = timedelta(minutes=5)
"""By which clocks of machines may differ unnoticed."""
MOST_LABELS = 100
"""Of one run: each may be an axis, and a condition of a query."""


def check_count(labels: int) -> None:
    """Raises TrexError for more labels than a run may have."""
    if labels > MOST_LABELS:
        raise TrexError(f"{labels:,} labels: a run has at most {MOST_LABELS}", "keep the rest in a file of the run")


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file of a run. name: without folders, unique in the run.

    is_kept: whether the store contains it; engines and models are only identified unless they were asked for.
    """

    name: str
    sha256: str
    size_bytes: int
    is_kept: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """One run of one engine; None for what is unknown. Times are UTC without a time zone.

    artifacts: its files, in the order of ``EngineFiles.paths``; no column.
    """

    id: str = fact("first 16 hex digits of a SHA-256 over files, job, repetition, commit and labels", default="")
    name: str = fact("name of the engine", default="")
    model: str = fact("the model's word: the engine's name in lower case without endings, or as given", default="")
    model_hash: str | None = fact("SHA-256 of the ONNX model")
    gpu: str | None = fact("name of the GPU, as the files have it")
    tensorrt: str | None = fact("version of TensorRT")
    driver: str | None = fact("version of the driver")
    trex: str | None = fact("version of trex that made the files; of the reader for others")
    backend: str | None = fact("what built and ran it: `trtexec`, `tensorrt`, `tensorrt-rtx`, `simulated`")
    provenance: str | None = fact(
        "origin of the times: `measured`, `predicted` (built on a CPU), `simulated`, `synthetic`; null without times"
    )
    made_at: datetime | None = fact("when it was run, in UTC")  # noqa: RUF009
    made_at_from: str | None = fact("where `made_at` is from: `manifest`, or `files` (time of the newest file)")
    added_at: datetime | None = fact("when it was added, in UTC, by the writer's clock")  # noqa: RUF009
    commit: str | None = fact("commit of the model or of the code that made the run, as given")
    options: Mapping[str, str] = fact(
        "options of the build; of the run `data transfers`, `inference streams`, `CUDA graph`, `optimization profile` "
        "(but 0) and `weight streaming budget` (but all weights)",
        default_factory=dict,
    )
    labels: Mapping[str, str] = fact("labels as given, at most 100; a sweep's axes", default_factory=dict)
    job_key: str | None = fact("SHA-256 of a sweep's job")
    repetition: int = fact("number of the repetition of a job, from 0", default=0)
    batch: int | None = fact("items per inference")
    shapes: str | None = fact("shapes of the inputs without the batch")
    precision: str | None = fact("type of most multiply-accumulates (MACs)")
    gpu_compute_ms: float | None = fact("median GPU compute time of an inference", "ms")
    gpu_compute_p99_ms: float | None = fact("99th percentile of the GPU compute time", "ms")
    expected_from_ms: float | None = fact("lower end of the error bar of a predicted GPU compute time", "ms")
    expected_to_ms: float | None = fact("upper end of the error bar", "ms")
    latency_ms: float | None = fact("median latency: GPU compute and transfers", "ms")
    p99_ms: float | None = fact("99th percentile of the latency", "ms")
    throughput_qps: float | None = fact("queries per second", "1/s")
    enqueue_ms: float | None = fact("median host time to enqueue an inference", "ms")
    layer_sum_ms: float | None = fact("sum of the layer times; null if one is unknown", "ms")
    layers: int | None = fact("number of layers that work, timed or not; null if no file lists them")
    timed_layers: int | None = fact("layers with a time; null without a layer profile")
    device_memory_bytes: int | None = fact("device memory of activations and scratch, as TensorRT reports it", "bytes")
    activation_peak_bytes: int | None = fact("peak of the activations by the sizes of their tensors", "bytes")
    weights_bytes: int | None = fact("weights, biases and constants; null if a size is unknown", "bytes")
    engine_bytes: int | None = fact("size of the serialized engine", "bytes")
    build_seconds: float | None = fact("time to build the engine", "s")
    findings: int | None = fact("number of findings of `trex lint`, unknown if a layer has no time")
    savings_ms: float | None = fact("estimated savings of all findings together, at most", "ms")
    likely_savings_ms: float | None = fact("likely savings of all findings together", "ms")
    samples: int | None = fact("number of measured inferences")
    clock_mhz: float | None = fact("median GPU clock during the run", "MHz")
    throttled: bool | None = fact("whether the GPU was slowed down during the run")
    problems: int | None = fact("number of notes on problems of the files")
    artifacts: tuple[Artifact, ...] = ()

    @property
    def main_ms(self) -> float | None:
        """GPU compute, else latency, else the sum of the layer times."""
        return next((ms for ms in (self.gpu_compute_ms, self.latency_ms, self.layer_sum_ms) if ms is not None), None)

    @property
    def short_id(self) -> str:
        return self.id[:8]


FACT_FIELDS = fact_fields(StoredRun)
"""The fields that are columns, in order."""
