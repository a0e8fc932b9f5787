"""What a baseline keeps of an engine's run, as plain data (schema ``trex.baseline/1``).

It keeps the layers with their names, tensors, kernels, origins, weight types, attributes and times; the run's settings;
the gate's metrics and a part of the per-query times; and a simulated engine's error bars. It keeps no paths and no
identities of machines. Of attributes it keeps numbers and words, by which a layer's work and bytes are those of its
engine; long texts, such as the code of generated kernels, are left out.

Per-query times are thinned to a thousand inferences in measured order, one per interval of equal length, at an offset
that follows a fixed low-discrepancy sequence: slow drifts stay visible, and periodic behavior does not alias. They are
a fair sample of the run; fewer samples may hide a difference but invent none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from trex.compare.metric import kept_columns, metric_values
from trex.compare.run_settings import QUERIES_AT_ONCE, RunSettings, plain_key
from trex.core.baseline_key import BaselineKey
from trex.core.layer import Layer
from trex.core.metadata import LatencySummary, Metadata
from trex.core.printable import clipped, encodable
from trex.core.timings import LayerTime, QueryTimes
from trex.perf.expected import counts_once, expected_ms, is_predicted, model_sha256, predicted_by, unknown_work
from trex.perf.performance import Performance
from trex.perf.samples.plan_samples import duration_of
from trex.perf.samples.steadiness import steadiness_of
from trex.plan.engine_plan import EnginePlan
from trex.plan.gaps import queries_at_once
from trex.plan.unknown_work import KEY, MODEL_KEY, unknown_work_record

SCHEMA = "trex.baseline/1"
MOST_SAMPLES = 1000
DIGITS = 6
_RECORD_KEYS = (
    "Name", "LayerType", "ParameterType", "Inputs", "Outputs", "Weights", "Bias", "Origin", "TacticName", "TacticValue",
    "StreamId", "Metadata", "Constants",
)  # fmt: skip
_NOT_KEPT = re.compile(
    r"path|file|uuid|engine$|^model$|^output|^available|^device\d|directory|^max(?:imum)?[a-z]*dim|url"
)
_WORD = re.compile(r"\w{0,40}")
_MOST_NESTED = 4
_PATH = re.compile(r"^(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/)")
_ANY_PATH = re.compile(r"(?<![^\s'\"(])(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/)\S*")
_MOST_SETTINGS = 80
_LONGEST_WORDS = 300


def key_of(plan: EnginePlan, model: str = "", gpu: str = "", version: str = "") -> BaselineKey:
    """model: by default the plan's name; gpu, version: by default those in its files."""
    settings = RunSettings(Performance(plan))
    return BaselineKey.of(model or plan.name, gpu or settings.gpu, version or settings.version)


def baseline_document(plan: EnginePlan, model: str = "", gpu: str = "", version: str = "") -> dict[str, Any]:
    """JSON-ready data, the same for the same files; times in milliseconds, None if unknown. model, gpu, version: as for
    ``key_of``.
    """
    key = key_of(plan, model, gpu, version)
    performance = Performance(plan)
    expected = expected_ms(plan) if is_predicted(plan) else None
    document = {
        "schema": SCHEMA,
        "model": key.model,
        "gpu": key.gpu,
        "tensorrt": key.version,
        "engine": encodable(plan.name),
        "verbosity": plan.engine.verbosity,
        "provenance": plan.provenance.name.lower(),
        **({} if expected is None else {"expected_ms": list(map(_rounded, expected))}),
        **({} if (simulator := predicted_by(plan)) is None else {"predicted_by": simulator}),
        **({} if (unknown := unknown_work(plan)) is None else {KEY: unknown_work_record(unknown)}),
        **({MODEL_KEY: digest} if (unknown or counts_once(plan)) and (digest := model_sha256(plan)) else {}),
        "metrics": {name: _rounded(value) for name, value in metric_values(performance).items()},
        **({"unsteady_pct": unsteady} if (unsteady := _unsteadiness(performance)) else {}),
        "layers_ms": _rounded(plan.layers_ms),
        "run": _run(performance, gpu, version),
        "bindings": [[binding.name, binding.is_input] for binding in plan.engine.bindings],
        "samples": _samples(plan.query_times),
        "layers": [_layer(layer, time) for layer, time in zip(plan.engine.layers, plan.all_times, strict=True)],
    }
    doubts = {"problems": _notes(performance, "problem"), "warnings": _notes(performance, "warning")}
    return {**document, **{kind: notes for kind, notes in doubts.items() if notes}}


def _notes(performance: Performance, severity: str) -> list[list[str]]:
    """[[code, message], …]: a baseline lacks the files that contradict each other, and is no better than its run."""
    known = dict.fromkeys((*performance.notes, *performance.too_fast))
    notes = [note for note in known if note.severity == severity][:_MOST_SETTINGS]
    return [[note.code, clipped(_ANY_PATH.sub("…", encodable(note.message)), _LONGEST_WORDS)] for note in notes]


def _run(performance: Performance, gpu: str, version: str) -> dict[str, Any]:
    """The run's settings verbatim, sorted by name, and what only the queries that a baseline leaves out show."""
    plan = performance.plan
    run, settings = plan.metadata, RunSettings(performance)
    throttling = performance.samples.throttling
    at_once = None if settings.flags.streams else queries_at_once(plan.query_times)
    seen = {} if at_once is None else {QUERIES_AT_ONCE: at_once}
    return {
        "tensorrt_version": version or settings.version or "",
        "layer_profile_iterations": settings.profile_iterations,
        "device": plain_settings({"Name": gpu} if gpu else plan.device_properties or {"Name": settings.gpu}),
        "system_options": plain_settings(run.system_options),
        "inference_options": plain_settings({**run.inference_options, **seen}),
        "performance": plain_settings(run.performance),
        "latency": _latency(run),
        "build_options": plain_settings(plan.build_metadata.build_options),
        "clock_mhz": _rounded(settings.measured_mhz),
        "slowed_by": None if throttling is None or not throttling.is_known else list(throttling.reasons),
    }


def plain_settings(section: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with one short value, without those that identify a path or a machine."""
    kept = {}
    for name, value in sorted(section.items(), key=lambda item: str(item[0])):
        is_short = isinstance(value, str | int | float | bool) and len(str(value)) <= 200
        if not is_short or _NOT_KEPT.search(plain_key(name)) or (isinstance(value, str) and _PATH.match(value)):
            continue
        if value == "" or (isinstance(value, float) and not math.isfinite(value)):
            continue
        kept[str(name)] = value
    return dict(list(kept.items())[:_MOST_SETTINGS])


def _latency(run: Metadata) -> dict[str, Any]:
    def data(summary: LatencySummary) -> dict[str, Any]:
        names = ("minimum_ms", "maximum_ms", "mean_ms", "median_ms")
        return {name: _rounded(getattr(summary, name)) for name in names}

    return {name: data(summary) for name, summary in sorted(run.latency.items())}


def _samples(queries: QueryTimes | None) -> dict[str, Any]:
    """Columns of equal length, without the warm-up. A column that equals another is stored as its name."""
    if queries is None or not len(queries):
        return {"measured": 0, "kept": 0}
    first = min(max(queries.warm_up_rows or 0, 0), len(queries))
    rows = first + chosen_rows(len(queries) - first)
    document: dict[str, Any] = {
        "measured": queries.part_of or len(queries) - first,
        "kept": len(rows),
        "last_end_ms": _last_ends(queries),
        **({"warm_up": "unknown"} if queries.warm_up_rows is None else {}),
    }
    columns: dict[str, list[float | None]] = {}
    for name in kept_columns():
        values = duration_of(queries, name)
        if values is None:
            continue
        kept = [_rounded(float(value)) for value in values[rows]]
        same = next((other for other, known in columns.items() if known == kept), None)
        columns[name] = kept
        document[name] = kept if same is None else same
    return document


def _unsteadiness(performance: Performance) -> dict[str, float | None]:
    """Of each column that is unsteady, by all of its queries; a part of them may not show it."""
    columns = performance.samples.columns
    known = {name: steadiness_of(columns[name]).uncertainty_pct for name in kept_columns() if name in columns}
    return {name: _rounded(pct) for name, pct in known.items() if pct}


def _last_ends(queries: QueryTimes) -> dict[str, float | None]:
    """When the run ended by the host's and the GPU's clock, which determines the resolution of the durations."""
    columns = {name: queries.columns.get(name) for name in ("endEnqMs", "endComputeMs")}
    return {
        name: _rounded(float(np.nanmax(np.asarray(column, dtype=np.float64), initial=0.0)))
        for name, column in columns.items()
        if column is not None and len(column)
    }


def chosen_rows(count: int, most: int = MOST_SAMPLES) -> np.ndarray:
    """Indexes of at most this many of ``count`` samples, ascending: one per interval of equal length."""
    if count <= most:
        return np.arange(count)
    edges = np.linspace(0, count, most + 1)
    # Fractions of multiples of the golden ratio are evenly spread and not periodic.
    spread = np.modf(np.arange(1, most + 1) * ((math.sqrt(5.0) - 1.0) / 2.0))[0]
    indexes = np.floor(edges[:-1] + spread * np.diff(edges)).astype(np.int64)
    kept: np.ndarray = np.minimum(np.maximum(indexes, np.ceil(edges[:-1]).astype(np.int64)), count - 1)
    return kept


def _layer(layer: Layer, time: LayerTime | None) -> dict[str, Any]:
    record = {name: layer.raw[name] for name in _RECORD_KEYS if name in layer.raw}
    record |= {name: value for name, value in layer.raw.items() if name not in record and _is_attribute(value)}
    for side in ("Inputs", "Outputs", "Constants"):
        if isinstance(record.get(side), list):
            record[side] = list(map(_tensor, record[side]))
    return {
        "average_ms": None if time is None else _rounded(time.average_ms),
        "median_ms": None if time is None else _rounded(time.median_ms),
        "layer": record if len(record) > 1 else layer.name,  # a file with layer names only
    }


def _is_attribute(value: Any, depth: int = 0) -> bool:
    """Whether it consists of numbers and words."""
    if isinstance(value, str):
        return _WORD.fullmatch(value) is not None
    if isinstance(value, list | dict):
        parts = value.values() if isinstance(value, dict) else value
        return depth < _MOST_NESTED and all(_is_attribute(part, depth + 1) for part in parts)
    return not isinstance(value, float) or math.isfinite(value)


def _tensor(record: Any) -> Any:
    return {name: value for name, value in record.items() if name != "Location"} if isinstance(record, dict) else record


def _rounded(value: float | None) -> float | None:
    """To six significant digits, as TensorRT writes them; None for unknown and infinite numbers."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}")
