"""Job: one run of a sweep, as data that travels to a worker; its key says what it is, not who asked for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trex.capture.options import CaptureOptions
from trex.core.errors import TrexError
from trex.core.options import option_fields
from trex.perf.known_devices import find_device

if TYPE_CHECKING:
    from trex.store.run import StoredRun

GPU_RESOURCE = "gpu"
SHARED_AMOUNT = 0.001
"""Of a GPU, for a job that shares it: as many run at once as the worker has threads."""

SWEEP_LABEL = "sweep"
EXAMPLE = "example:"
"""Before the name of an example network."""
_NAME_CHARS = 32


@dataclass(frozen=True, slots=True)
class JobModel:
    """path: as workers see it, if they share the folder. weights: {name: sha256} of files next to it."""

    path: str
    sha256: str
    weights: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """key: sha256 of the model and its name, options, TensorRT, GPU, trex version and backend; "" where one of them is
    not known.

    labels: sweep and axis values. options: of ``trex process``, without its folder. resources: of a worker that may run
    it. time_limit_s: None for none.
    """

    key: str
    repetition: int
    labels: Mapping[str, str]
    model: JobModel
    options: CaptureOptions
    gpu: str = ""
    tensorrt: str = ""
    resources: Mapping[str, float] = field(default_factory=dict)
    time_limit_s: float | None = None

    @property
    def identity(self) -> tuple[str, int]:
        return self.key, self.repetition

    @property
    def name(self) -> str:
        """Of its claim, its log and its Dask task: unique in a store."""
        return f"{self.key[:_NAME_CHARS]}-{self.repetition}"

    @property
    def title(self) -> str:
        """For people."""
        words = [
            f"batch {value}" if axis == "batch" else value for axis, value in self.labels.items() if axis != SWEEP_LABEL
        ]
        return " · ".join([*words, *([f"#{self.repetition + 1}"] if self.repetition else [])])

    @property
    def kind(self) -> tuple[str, str, str]:
        """Jobs of a kind take about the same time."""
        return self.labels.get("model", ""), self.options.backend, self.gpu

    def command(self, program: tuple[str, ...], model: str, folder: str) -> tuple[str, ...]:
        """The command that runs it, which people may repeat. program: such as (trex,)."""
        return (*program, "process", model, folder, *option_words(self.options))


@dataclass(frozen=True, slots=True)
class JobRun:
    """What a job came to: its run in the store. main_ms: time of an inference of ``batch`` items; None if unknown.
    provenance: measured, predicted or simulated. throughput_qps: as reported; several streams have more than one
    inference in that time.
    """

    id: str = ""
    main_ms: float | None = None
    batch: float | None = None
    provenance: str | None = None
    throughput_qps: float | None = None

    @classmethod
    def of(cls, run: StoredRun) -> JobRun:
        return cls(run.id, run.main_ms, run.batch, run.provenance, run.throughput_qps)


def option_words(options: CaptureOptions) -> tuple[str, ...]:
    """All but the model and the folder, as words of the command line."""
    flags: list[str] = []
    for item in option_fields(CaptureOptions):
        value = getattr(options, item.name)
        if item.is_positional or value == item.default:
            continue
        flags += [item.flag] if item.is_switch else [item.flag, str(value)]
    return (*options.trtexec_args, *flags)


def without_files(options: CaptureOptions) -> CaptureOptions:
    return dataclasses.replace(options, model="", outdir="")


def gpu_resource(gpu: str) -> str:
    """The resource of workers with such a GPU: ``gpu:nvidia-a100-sxm4-80gb``, also for A100; ``gpu`` for any."""
    return f"{GPU_RESOURCE}:{full_name(gpu).lower().replace(' ', '-')}" if gpu else GPU_RESOURCE


def full_name(gpu: str) -> str:
    """The name of a known GPU for its short names; any other as it is."""
    try:
        return find_device(gpu).name if gpu else ""
    except TrexError:
        return gpu
