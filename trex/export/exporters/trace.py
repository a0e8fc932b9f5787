"""Trace: layers on their streams, modules as a flame graph, measured queries: for Perfetto, speedscope and Chrome.

Layers have their average times, one after the other in execution order: the profile has no start times, so a layer of
another stream begins where the file's order puts it. Modules are above their layers in a process of their own; one that
recurs is drawn again. Queries begin where trtexec's per-query times say, and take the durations stated there (starts
have six digits only). Enqueue times are by the host's clock, all others by the device's: the two need not agree. Open
the file at ui.perfetto.dev, www.speedscope.app or chrome://tracing.
Format: "Trace Event Format", Google; times in microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from math import isfinite
from typing import Any

from trex.core.layer import Layer
from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.graph.module_steps import module_steps
from trex.plan.engine_plan import EnginePlan
from trex.plan.layer_statistics import of_layers
from trex.views.document import Document

LAYERS, QUERIES, MODULES = 1, 2, 3
MOST_QUERIES = 2_000
_PHASES = {
    "Enq": "enqueue (host clock)",
    "H2d": "host to device",
    "In": "host to device",
    "Compute": "GPU compute",
    "D2h": "device to host",
    "Out": "device to host",
}


def render(document: Document, style: RenderStyle) -> str:
    plan = document.source.plan
    profile, partial = ("", "") if plan is None else (plan.profile_words, _partial(plan))
    notes = {
        f"{severity}s": [str(note) for note in dict.fromkeys(document.notes) if note.severity == severity]
        for severity in ("problem", "warning")
    }
    about = {
        "engine": printable(document.title),
        "layers": "average times, one after the other in execution order; start times were not measured",
        **({"statement": document.statement} if document.statement else {}),
        **({"profile": profile} if profile else {}),
        **({"partial": f"the times are{partial}"} if partial else {}),
        **{name: texts for name, texts in notes.items() if texts},
    }
    events = [] if plan is None else [*_layers(plan), *_modules(plan), *_queries(plan)]
    trace = {"traceEvents": events, "displayTimeUnit": "ns", "otherData": about}
    return json.dumps(trace, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _layers(plan: EnginePlan) -> Iterator[dict[str, Any]]:
    streams = sorted({layer.stream for layer in plan.working_layers if layer.stream is not None})
    unknown = streams[-1] + 1 if streams else 0
    yield _named("process_name", LAYERS, 0, f"one inference: layers by average time{_partial(plan)}")
    for stream in streams:
        yield _named("thread_name", LAYERS, stream, f"stream {stream}")
    if any(layer.stream is None for layer in plan.working_layers):
        yield _named("thread_name", LAYERS, unknown, "stream unknown")
    for layer, start_us, end_us in _timed(plan):
        args = {"index": layer.index, "precision": layer.precision, "tactic": printable(layer.tactic)}
        if layer.module:
            args["module"] = printable(layer.module)
        stream = unknown if layer.stream is None else layer.stream
        yield _event(printable(layer.name), printable(layer.type), start_us, end_us, LAYERS, stream, args)


def _timed(plan: EnginePlan) -> Iterator[tuple[Layer, float, float]]:
    """Layers with a time, and between which microseconds they are drawn."""
    end_us = 0.0
    for layer, time in zip(plan.working_layers, plan.times, strict=True):
        if time is None or time.average_ms is None or not isfinite(time.average_ms) or time.average_ms < 0:
            continue
        start_us, end_us = end_us, end_us + 1000 * time.average_ms
        yield layer, start_us, end_us


def _partial(plan: EnginePlan) -> str:
    """Of how many layers the trace is, if not of all."""
    drawn = {layer.index: end_us for layer, _, end_us in _timed(plan)}
    return of_layers([drawn.get(layer.index) for layer in plan.working_layers])


def _modules(plan: EnginePlan) -> Iterator[dict[str, Any]]:
    """Layers below the modules that contain them; empty if no layer names its module."""
    if not any(layer.module for layer in plan.working_layers):
        return
    yield _named("process_name", MODULES, 0, f"one inference: modules and layers{_partial(plan)}")
    opened: list[tuple[str, float]] = []
    end_us = 0.0
    for layer, start_us, end_us in _timed(plan):
        steps = module_steps(layer.module)
        path = ["/" + "/".join(steps[: depth + 1]) for depth in range(len(steps))]
        yield from _closed(opened, path, start_us)
        opened += [(module, start_us) for module in path[len(opened) :]]
        yield _event(printable(layer.name), printable(layer.type), start_us, end_us, MODULES, 0)
    yield from _closed(opened, [], end_us)


def _closed(opened: list[tuple[str, float]], path: list[str], end_us: float) -> Iterator[dict[str, Any]]:
    """Ends the open modules that are not on the path."""
    while [module for module, _ in opened] != path[: len(opened)]:
        module, start_us = opened.pop()
        yield _event(printable(module), "module", start_us, end_us, MODULES, 0)


def _queries(plan: EnginePlan) -> Iterator[dict[str, Any]]:
    """One row of events per phase; queries overlap when several are in flight."""
    if plan.query_times is None or not len(plan.query_times):
        return
    columns = plan.query_times.columns
    phases = [key for key in _PHASES if f"start{key}Ms" in columns and f"end{key}Ms" in columns]
    if not phases:
        return
    count = len(plan.query_times)
    started = (row for row in range(count) if any(isfinite(columns[f"start{key}Ms"][row]) for key in phases))
    rows = list(islice(started, MOST_QUERIES))
    if not rows:
        return
    queries = "queries, not measured" if plan.is_synthetic else "measured queries"
    left_out = f" (the first {len(rows):,} of {count:,})" if len(rows) < count else ""
    yield _named("process_name", QUERIES, 0, f"{queries}{left_out}")
    starts_ms = (columns[f"start{key}Ms"][row] for key in phases for row in rows)
    origin = min(start for start in starts_ms if isfinite(start))
    for thread, key in enumerate(phases):
        yield _named("thread_name", QUERIES, thread, _PHASES[key])
        starts, ends = columns[f"start{key}Ms"], columns[f"end{key}Ms"]
        durations = columns.get(f"{key[0].lower()}{key[1:]}Ms")
        for row in rows:
            start = starts[row]
            duration = ends[row] - start if durations is None else durations[row]
            if isfinite(start) and isfinite(duration) and duration >= 0:
                start_us = 1000 * (start - origin)
                name = f"warm-up query {row}" if row < (plan.query_times.warm_up_rows or 0) else f"query {row}"
                yield _event(name, _PHASES[key], start_us, start_us + 1000 * duration, QUERIES, thread)


def _event(
    name: str, kind: str, start_us: float, end_us: float, process: int, thread: int, args: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "name": name,
        "cat": kind,
        "ph": "X",
        "ts": round(start_us, 3),
        "dur": round(end_us - start_us, 3),
        "pid": process,
        "tid": thread,
        **({"args": args} if args else {}),
    }


def _named(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}


FORMAT = DocumentFormat((".trace.json", ".perfetto.json", ".speedscope.json"), render, commands=("report",))
