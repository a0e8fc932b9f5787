"""EnginePlan → the facts of its run and the rows of the tables, by the readings that all commands share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from trex.compare.baseline import MOST_SAMPLES, chosen_rows, plain_settings
from trex.compare.engine_facts import EngineFacts, facts_of
from trex.compare.metric import METRICS, metric_value
from trex.compare.run_settings import (
    MEASURED_AS,
    OPTIMIZATION_PROFILE,
    SETTINGS,
    STREAMS,
    WEIGHT_BUDGET,
    RunSettings,
    plain_version,
)
from trex.core.baseline_key import model_word
from trex.core.layer import Layer
from trex.core.metadata import LatencySummary
from trex.core.tensor import Tensor
from trex.ingest.spelling.tactic_names import decode_tactic
from trex.perf.expected import expected_ms
from trex.perf.latencies import GPU_COMPUTE, LATENCY, latencies_of
from trex.perf.memory.plan_memory import Memory
from trex.perf.memory.reported import Reported, reported_of
from trex.perf.performance import Performance
from trex.perf.samples.plan_samples import duration_of
from trex.plan.engine_plan import EnginePlan
from trex.plan.folding import working_layers
from trex.plan.memory import weights_bytes
from trex.rules.lint import lint
from trex.rules.lint_result import LintResult
from trex.store.columns import FINDINGS, LAYERS, SAMPLES, TACTICS
from trex.store.run import PROVENANCES

Rows = list[tuple[Any, ...]]
_METRICS_OF = {
    "throughput_qps": "throughput",
    "p99_ms": "p99",
    "gpu_compute_p99_ms": "p99",
    "enqueue_ms": "enqueue",
    "engine_bytes": "engine-size",
    "build_seconds": "build-time",
}
"""{fact of a run: the metric whose doubts it shares}"""
_OLDER = {OPTIMIZATION_PROFILE: "0", WEIGHT_BUDGET: "off"}
"""{setting: what runs of releases that don't print it have}"""
_ENQUEUE = ("enqueueMs",)
_SAMPLE_KEYS = (("computeMs",), ("latencyMs",), _ENQUEUE, ("h2dMs", "inMs"), ("d2hMs", "outMs"))
"""Columns of the per-query times for the columns of ``samples`` after ``query``, by their old and new names."""
_MIB = 1 << 20


class RunReading:
    """The facts and rows of one plan, each computed on first use."""

    def __init__(self, plan: EnginePlan, model: str = "") -> None:
        self.plan = plan
        self.model = model_word(model or plan.name)
        self.performance = Performance(plan)
        self.settings = RunSettings(self.performance)

    @cached_property
    def lint(self) -> LintResult:
        return lint(self.performance)

    def facts(self) -> dict[str, Any]:
        """The fields of ``StoredRun`` that the plan determines."""
        plan, settings, series = self.plan, self.settings, self._series
        provenance = settings.provenance
        memory = self.performance.memory
        samples = self.performance.samples
        throttling = samples.throttling
        ends = expected_ms(plan) or (None, None)
        is_whole = not self.performance.lost and not plan.lacks_layers
        times = {
            **_times(plan),
            "throughput_qps": metric_value("throughput", self.performance),
            "enqueue_ms": metric_value("enqueue", self.performance),
            "layer_sum_ms": self._layer_sum_ms,
        }
        if self.performance.contradicted:  # no time of this run is known
            times = dict.fromkeys(times)
        # findings of some of the layers would look like fewer findings
        lint = self.lint if plan.engine.layers and plan.is_profiled and times["layer_sum_ms"] is not None else None
        facts = {
            "name": plan.name,
            "model": self.model,
            "gpu": settings.gpu,
            "tensorrt": None if settings.version is None else plain_version(settings.version),
            "driver": settings.driver,
            "provenance": None if provenance is None else PROVENANCES[provenance],
            "options": {name: _text(value) for name, value in plain_settings(plan.builder_cfg).items()}
            | self._measured_as,
            "batch": series.batch,
            "shapes": series.shapes,
            "precision": series.precision,
            **times,
            "expected_from_ms": ends[0],
            "expected_to_ms": ends[1],
            "layers": len(working_layers(plan.engine)) if plan.engine.layers and is_whole else None,
            "timed_layers": sum(ms is not None for ms in plan.layer_ms) if plan.is_profiled else None,
            "device_memory_bytes": (reported_of(plan) or Reported()).shared_bytes,
            "activation_peak_bytes": _peak(memory) if is_whole else None,
            "weights_bytes": self._weights_bytes() if is_whole else None,
            "engine_bytes": _engine_bytes(plan.milestones),
            "build_seconds": _positive(
                plan.milestones.get("engine_built_s", plan.milestones.get("engine_generation_s"))
            ),
            "findings": None if lint is None else len(lint.findings),
            "savings_ms": None if lint is None else _known(lint.savings_ms),
            "likely_savings_ms": None if lint is None else _known(lint.likely_savings_ms),
            "samples": None if samples.main is None else samples.main.count,
            "clock_mhz": settings.measured_mhz,
            "throttled": None if throttling is None else settings.was_throttled,
            "problems": sum(note.severity == "problem" for note in self.performance.notes),
        }
        return facts | dict.fromkeys(self._doubted)

    def rows(self, run_id: str) -> dict[str, Rows]:
        """{table: rows} of all tables but ``runs``."""
        first = (run_id, self.model)
        return {
            LAYERS.name: [(*first, *row) for row in self._layers()],
            TACTICS.name: [(*first, *row) for row in self._tactics()],
            SAMPLES.name: [(*first, *row) for row in self._samples()],
            FINDINGS.name: [(*first, *row) for row in self._findings()],
        }

    @cached_property
    def _doubted(self) -> frozenset[str]:
        """The facts of a run that its problems leave unknown."""
        problems = {note.code for note in self.performance.notes if note.severity == "problem"}
        return frozenset(name for name, metric in _METRICS_OF.items() if problems & {*METRICS[metric].value.doubts})

    @property
    def _measured_as(self) -> dict[str, str]:
        """Settings of the run that make its times another quantity, where they are known and no default of releases
        that don't print them.
        """
        every = ((setting, setting.read(self.settings)) for setting in SETTINGS if setting.name in MEASURED_AS)
        known = {setting.name: setting.words(value) for setting, value in every if value is not None}
        if self.settings.flags.streams is None and self.settings.streams == 1:
            del known[STREAMS]
        return {name: text for name, text in known.items() if text != _OLDER.get(name)}

    @cached_property
    def _series(self) -> EngineFacts:
        return facts_of(self.performance, self.plan.name)

    def _weights_bytes(self) -> int | None:
        """Of the layers if all sizes are known, else of TensorRT's log."""
        plan = self.plan
        size = weights_bytes(plan.engine)
        if plan.engine.verbosity == "detailed" and not size.unknown_count:
            return size.known
        return (reported_of(plan) or Reported()).weights_bytes

    @cached_property
    def _layer_sum_ms(self) -> float | None:
        """None where layers, or their times, are wrong or missing."""
        is_known = not self._has_wrong_times and not self.performance.lost
        return metric_value("layer-sum", self.performance) if is_known else None

    @property
    def _has_wrong_times(self) -> bool:
        """Whether no time of a layer is known: a query's result has no Notes."""
        return bool(self.performance.contradicted or self.performance.wrong_layer_times)

    @cached_property
    def _layer_times(self) -> list[tuple[float | None, float | None, float | None, float | None]]:
        """Time, average, median and share of every layer."""
        plan = self.plan
        if self._has_wrong_times:
            return [(None,) * 4 for _ in plan.layer_ms]
        return [
            (
                time_ms,
                None if time is None else _known(time.average_ms),
                None if time is None else _known(time.median_ms),
                _share(time_ms, self._layer_sum_ms),
            )
            for time, time_ms in zip(plan.times, plan.layer_ms, strict=True)
        ]

    def _layers(self) -> Rows:
        plan = self.plan
        texts: dict[int, str] = {}
        return [
            (
                layer.index,
                layer.name,
                layer.occurrence,
                layer.type,
                layer.subtype,
                _precision(layer),
                _type(layer.outputs[0]) if layer.outputs else None,
                layer.tactic or None,
                _verbatim(layer.raw.get("TacticValue")),
                *times,
                layer.total_io_size_bytes,
                layer.weights_size_bytes,
                _tensors(layer.inputs, texts),
                _tensors(layer.outputs, texts),
                layer.role.value,
                layer.name_parts.fusion,
                list(layer.origins),
                layer.module or None,
                layer.stream,
                layer.profile,
            )
            for layer, times in zip(plan.working_layers, self._layer_times, strict=True)
        ]

    def _tactics(self) -> Rows:
        plan = self.plan
        counts: dict[str, int] = {}
        times: dict[str, float] = {}
        for layer, (time_ms, *_) in zip(plan.working_layers, self._layer_times, strict=True):
            if layer.tactic:
                counts[layer.tactic] = counts.get(layer.tactic, 0) + 1
                if time_ms is not None:
                    times[layer.tactic] = times.get(layer.tactic, 0.0) + time_ms
        rows: Rows = []
        for name, count in counts.items():
            tactic, time_ms = decode_tactic(name), times.get(name)
            types = (tactic.input_type, tactic.accumulate_type, tactic.output_type)
            rows.append(
                (
                    name,
                    count,
                    time_ms,
                    _share(time_ms, self._layer_sum_ms),
                    tactic.library or None,
                    tactic.family or None,
                    tactic.kind or None,
                    *(kind.label if kind.is_known else None for kind in types),
                    tactic.tensor_core,
                    "x".join(str(size) for size in tactic.tile if size is not None) if tactic.tile else None,
                    tactic.sm,
                )
            )
        return rows

    def _samples(self) -> Rows:
        queries = self.plan.query_times
        if queries is None or not len(queries) or self.performance.contradicted:
            return []
        first = min(max(queries.warm_up_rows or 0, 0), len(queries))
        chosen = chosen_rows(len(queries) - first, MOST_SAMPLES)
        columns: list[list[float | None]] = []
        for keys in _SAMPLE_KEYS:
            values = next((values for key in keys if (values := duration_of(queries, key)) is not None), None)
            if keys == _ENQUEUE and "enqueue_ms" in self._doubted:
                values = None
            columns.append(
                [None] * len(chosen) if values is None else [_known(value) for value in values[first + chosen].tolist()]
            )
        return list(zip(chosen.tolist(), *columns, strict=True))

    def _findings(self) -> Rows:
        if not self.plan.engine.layers:
            return []
        rows: Rows = []
        for finding in self.lint.findings:
            times = [_known(ms) for ms in (finding.likely_savings_ms, finding.savings_ms, finding.share_pct)]
            has_times = times != [None] * 3 or finding.about_ms > 0.0  # also in its message
            if self._has_wrong_times and has_times:
                continue
            words = finding.title, finding.severity.word, finding.confidence, finding.message
            layers = list(finding.layers), list(finding.layer_names)
            rows.append((finding.code, finding.rule, *words, *times, *layers))
        return rows


def _times(plan: EnginePlan) -> dict[str, float | None]:
    """trtexec's own summary, else the same figures of the per-query times, as ``trex summary`` shows them."""
    latencies = latencies_of(plan)
    times: dict[str, float | None] = {}
    for label, median, p99 in (
        (GPU_COMPUTE, "gpu_compute_ms", "gpu_compute_p99_ms"),
        (LATENCY, "latency_ms", "p99_ms"),
    ):
        summary = latencies.get(label, LatencySummary(None, None, None, None))
        times[median], times[p99] = _positive(summary.median_ms), _positive(summary.percentiles.get(99.0))
    return times


def _engine_bytes(milestones: Mapping[str, float]) -> int | None:
    """As trtexec's log reports it; TensorRT's own ``Loaded engine size`` is rounded to whole MiB."""
    size = _positive(milestones.get("engine_size_mib"))
    return None if size is None else round(size * _MIB)


def _known(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _positive(value: float | None) -> float | None:
    value = _known(value)
    return value if value is not None and value > 0.0 else None


def _share(part: float | None, whole: float | None) -> float | None:
    return None if part is None or whole is None else 100.0 * part / whole


def _text(value: object) -> str:
    return str(value)


def _verbatim(value: object) -> str | None:
    return None if value is None or value == "" else str(value)


def _precision(layer: Layer) -> str | None:
    return layer.precision if layer.compute.data_type.is_known else None


def _type(tensor: Tensor) -> str | None:
    return tensor.precision if tensor.data_type.is_known else None


def _tensors(tensors: tuple[Tensor, ...], texts: dict[int, str]) -> str | None:
    """``1x3x224x224 FP16 NHWC8, …``"""
    return ", ".join(texts.setdefault(id(tensor), _tensor(tensor)) for tensor in tensors) or None


def _tensor(tensor: Tensor) -> str:
    from trex.core.shape import shape_text

    layout = f" {tensor.format.label}" if tensor.format.is_known else ""
    return f"{shape_text(tensor.shape)} {tensor.precision}{layout}"


def _peak(memory: Memory) -> int | None:
    return None if memory.peak is None or memory.is_lower_bound else memory.peak.size_bytes
