"""Plan → what is kept of its run to compare later ones with, as plain data (schema ``trex.baseline/1``).

Kept are the layers with what aligns and explains them (names, tensors, kernels, origins, types of weights) and their
times; what tells how the run was measured; of the trace a part of the samples; and of a simulated engine between which
times it is expected. Paths, identities of machines and attributes of layers are not.

The samples that are kept are of at most a thousand inferences, in the order in which they were measured, one from each
of as many stretches of equal length, its place in the stretch by a fixed sequence: so slow drifts are in them as in the
whole, and no rhythm of the run meets that of the choice. They are a fair sample of the run, and every statement about
significance is made of them alone: fewer samples may hide a difference, but invent none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from trex.compare.run_facts import RunFacts, plain_key
from trex.core.baseline_key import BaselineKey
from trex.core.layer import Layer
from trex.core.metadata import LatencySummary, Metadata
from trex.core.timings import LayerTime, QueryTimes
from trex.perf.expected import expected_ms, is_predicted
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

SCHEMA = "trex.baseline/1"
MOST_SAMPLES = 1000
DURATIONS = ("computeMs", "latencyMs", "enqueueMs")
DIGITS = 6
_RECORD_KEYS = (
    "Name", "LayerType", "ParameterType", "Inputs", "Outputs", "Weights", "Bias", "Origin", "TacticName", "TacticValue",
    "StreamId", "Metadata",
)  # fmt: skip
_NOT_KEPT = re.compile(
    r"path|file|uuid|engine$|^model$|^output|^available|^device\d|directory|^max(?:imum)?[a-z]*dim|url"
)
_PATH = re.compile(r"^(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/)")
_MOST_FACTS = 80


def key_of(plan: EnginePlan, model: str = "") -> BaselineKey:
    """model: another name than the plan's own."""
    facts = RunFacts(Performance(plan))
    return BaselineKey.of(model or plan.name, facts.gpu, facts.version)


def baseline_document(plan: EnginePlan, model: str = "") -> dict[str, Any]:
    """JSON-ready data, the same for the same files; times in milliseconds, unknown ones None."""
    key = key_of(plan, model)
    measures = Performance(plan).reconciliation.measures
    expected = expected_ms(plan) if is_predicted(plan) else None
    medians = {name: _rounded(getattr(measures, name).ms) for name in ("compute", "latency", "enqueue")}
    return {
        "schema": SCHEMA,
        "model": key.model,
        "gpu": key.gpu,
        "tensorrt": key.version,
        "engine": plan.name,
        "verbosity": plan.engine.verbosity,
        "provenance": plan.provenance.name.lower(),
        **({} if expected is None else {"expected_ms": [_rounded(each) for each in expected]}),
        "median_ms": {**medians, "layers": _rounded(plan.total_runtime)},
        "run": _run(plan),
        "bindings": [[binding.name, binding.is_input] for binding in plan.engine.bindings],
        "samples": _samples(plan.query_times),
        "layers": [_layer(layer, time) for layer, time in zip(plan.engine.layers, plan.all_times, strict=True)],
    }


def _run(plan: EnginePlan) -> dict[str, Any]:
    """What tells how it was measured: facts verbatim, in the order of their names."""
    run, build = plan.metadata, plan.build_metadata
    facts = RunFacts(Performance(plan))
    watched = facts.performance.samples.throttling
    return {
        "tensorrt_version": facts.version or "",
        "layer_profile_iterations": None if plan.layer_times is None else plan.layer_times.count,
        "device": _plain(plan.device_properties or {"Name": facts.gpu}),
        "system_options": _plain(run.system_options),
        "inference_options": _plain(run.inference_options),
        "performance": _plain(run.performance),
        "latency": _latency(run),
        "build_options": _plain(build.build_options),
        "clock_mhz": _rounded(facts.running_clock),
        "slowed_by": None if watched is None or not watched.watched_s > 0.0 else list(watched.reasons),
    }


def _plain(section: Mapping[str, Any]) -> dict[str, Any]:
    """Facts that are one short value, without what names a place or a machine."""
    kept = {}
    for name, value in sorted(section.items(), key=lambda item: str(item[0])):
        is_short = isinstance(value, str | int | float | bool) and len(str(value)) <= 200
        if not is_short or _NOT_KEPT.search(plain_key(name)) or (isinstance(value, str) and _PATH.match(value)):
            continue
        if value == "" or (isinstance(value, float) and not math.isfinite(value)):
            continue
        kept[str(name)] = value
    return dict(list(kept.items())[:_MOST_FACTS])


def _latency(run: Metadata) -> dict[str, Any]:
    def told(summary: LatencySummary) -> dict[str, Any]:
        names = ("minimum_ms", "maximum_ms", "mean_ms", "median_ms")
        return {name: _rounded(getattr(summary, name)) for name in names}

    return {name: told(summary) for name, summary in sorted(run.latency.items())}


def _samples(queries: QueryTimes | None) -> dict[str, Any]:
    """Columns of equally many samples, the warm-up left out; one that equals another names it."""
    if queries is None or not len(queries):
        return {"measured": 0, "kept": 0}
    first = min(max(queries.warm_up_rows or 0, 0), len(queries))
    rows = first + chosen_rows(len(queries) - first)
    found: dict[str, Any] = {"measured": len(queries) - first, "kept": len(rows), "last_end_ms": _last_ends(queries)}
    columns: dict[str, list[float | None]] = {}
    for name in DURATIONS:
        values = _column(queries, name)
        if values is None:
            continue
        kept = [_rounded(float(value)) for value in values[rows]]
        same = next((other for other, known in columns.items() if known == kept), None)
        columns[name] = kept
        found[name] = kept if same is None else same
    return found


def _last_ends(queries: QueryTimes) -> dict[str, float | None]:
    """When the run ended, by the clocks of host and GPU: the later, the coarser are the differences written."""
    columns = {name: queries.columns.get(name) for name in ("endEnqMs", "endComputeMs")}
    return {
        name: _rounded(float(np.nanmax(np.asarray(column, dtype=np.float64), initial=0.0)))
        for name, column in columns.items()
        if column is not None and len(column)
    }


def chosen_rows(count: int, most: int = MOST_SAMPLES) -> np.ndarray:
    """Places of at most so many of ``count`` samples, ascending: one of each stretch of equal length."""
    if count <= most:
        return np.arange(count)
    edges = np.linspace(0, count, most + 1)
    # Multiples of the golden ratio, whose fractions spread evenly and repeat in no rhythm.
    spread = np.modf(np.arange(1, most + 1) * ((math.sqrt(5.0) - 1.0) / 2.0))[0]
    places = np.floor(edges[:-1] + spread * np.diff(edges)).astype(np.int64)
    return np.minimum(np.maximum(places, np.ceil(edges[:-1]).astype(np.int64)), count - 1)


def _column(queries: QueryTimes, name: str) -> np.ndarray | None:
    if name != "enqueueMs":
        column = queries.columns.get(name)
        return None if column is None else np.asarray(column, dtype=np.float64)
    start, end = (queries.columns.get(each) for each in ("startEnqMs", "endEnqMs"))
    if start is None or end is None:
        return None
    return np.asarray(end, dtype=np.float64) - np.asarray(start, dtype=np.float64)


def _layer(layer: Layer, time: LayerTime | None) -> dict[str, Any]:
    record = {name: layer.raw[name] for name in _RECORD_KEYS if name in layer.raw}
    for side in ("Inputs", "Outputs"):
        if isinstance(record.get(side), list):
            record[side] = [_tensor(each) for each in record[side]]
    return {
        "average_ms": None if time is None else _rounded(time.average_ms),
        "median_ms": None if time is None else _rounded(time.median_ms),
        "layer": record if len(record) > 1 else layer.name,  # of a file that tells nothing but names
    }


def _tensor(record: Any) -> Any:
    return {name: value for name, value in record.items() if name != "Location"} if isinstance(record, dict) else record


def _rounded(value: float | None) -> float | None:
    """To six significant digits, as TensorRT writes them; None for what is no finite number."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}")
