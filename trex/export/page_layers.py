"""Report → the page's table of layers: columns of values, and what each column means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from trex.perf.columns import PERFORMANCE_COLUMNS
from trex.plan.columns import COLUMN_BY_NAME
from trex.views.diagram.labels import tensor_words
from trex.views.report.report import Report

_FIRST = (
    "layer.index", "Name", "type", "precision", "latency.avg_time", "latency.pct_time", "perf.bound",
    "perf.achieved_share", "perf.headroom_ms", "output_precision", "total_io_size_bytes", "weights_size",
    "total_footprint_bytes", "tactic", "layer.module",
)  # fmt: skip
_OTHERS = ("subtype", "latency.median_time", "precision.evidence", "StreamId", "layer.origins", "Metadata")
_DIGITS = 6


def layers_data(report: Report) -> dict[str, Any]:
    """columns: name, unit, meaning and values, the telling ones first. shown: how many the table shows at first."""
    frame = report.subject.frame
    performance = report.subject.performance
    declared: dict[str, tuple[str, str, Sequence[Any]]] = {}
    for name, column in COLUMN_BY_NAME.items():
        if name in frame and name not in ("Inputs", "Outputs"):
            declared[name] = (column.unit, column.meaning, frame[name].tolist())
    if performance is not None and len(performance.plan.layers) == len(frame):
        for each in PERFORMANCE_COLUMNS:
            declared[each.name] = (each.unit, each.meaning, list(each.values(performance)))
    names = [name for name in _FIRST if name in declared]
    rest = [name for name in declared if name.startswith("perf.") and name not in names]
    names += [*rest, *(name for name in _OTHERS if name in declared)]
    columns = [page_column(name, *declared[name]) for name in names]
    columns += [_tensors(report, side) for side in ("Inputs", "Outputs")]
    return {"columns": columns, "shown": len([name for name in _FIRST if name in declared])}


def page_column(name: str, unit: str, meaning: str, values: Sequence[Any]) -> dict[str, Any]:
    """A column of the page's table: numbers as they are, texts as places in a list of those that differ."""
    told = {"name": name, "unit": unit, "meaning": meaning}
    if all(value is None or isinstance(value, int | float) for value in values):
        return {**told, "numbers": [_number(value) for value in values]}
    words = [_words(value) for value in values]
    place = {word: at for at, word in enumerate(dict.fromkeys(words))}
    return {**told, "words": list(place), "places": [place[word] for word in words]}


def _tensors(report: Report, side: str) -> dict[str, Any]:
    layers = report.subject.plan.layers if report.subject.plan is not None else ()
    tensors = [layer.inputs if side == "Inputs" else layer.outputs for layer in layers]
    texts = ["; ".join(f"{tensor.name}: {tensor_words(tensor)}" for tensor in each) for each in tensors]
    return page_column(side, "", "name, type, shape and layout of every tensor", texts)


def _number(value: float | None) -> float | int | None:
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, int) else float(f"{value:.{_DIGITS}g}")


def _words(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
