"""Subject → Table of all layers with every column, for readers that sort and filter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from trex.perf.columns import PERFORMANCE_COLUMNS
from trex.plan.columns import COLUMN_BY_NAME
from trex.views.chart import Subject
from trex.views.diagram.labels import tensor_words
from trex.views.table import Table, TableColumn

_FIRST = (
    "layer.index", "Name", "type", "precision", "latency.avg_time", "latency.pct_time", "perf.bound",
    "perf.achieved_share", "perf.headroom_ms", "output_precision", "total_io_size_bytes", "weights_size",
    "total_footprint_bytes", "tactic", "layer.module",
)  # fmt: skip
_OTHERS = ("subtype", "latency.median_time", "precision.evidence", "StreamId", "layer.origins", "Metadata")
SHOWN = 8
"""How many columns a page shows at first."""


def layer_table(subject: Subject) -> Table:
    """One row per layer; the columns that people look at first come first."""
    frame, performance = subject.frame, subject.performance
    declared: dict[str, tuple[str, str, Sequence[Any]]] = {}
    for name, column in COLUMN_BY_NAME.items():
        if name in frame and name not in ("Inputs", "Outputs"):
            declared[name] = (column.unit, column.meaning, frame[name].tolist())
    if performance is not None and len(performance.plan.layers) == len(frame):
        for measure in PERFORMANCE_COLUMNS:
            declared[measure.name] = (measure.unit, measure.meaning, list(measure.values(performance)))
    names = [name for name in _FIRST if name in declared]
    names += [name for name in declared if name.startswith("perf.") and name not in names]
    names += [name for name in _OTHERS if name in declared]
    columns = [
        TableColumn(name, _kind(declared[name][2]), declared[name][0], meaning=declared[name][1]) for name in names
    ]
    values = [[_cell(value) for value in declared[name][2]] for name in names]
    for side in ("Inputs", "Outputs"):
        columns.append(TableColumn(side, meaning="name, type, shape and layout of every tensor"))
        values.append(_tensors(subject, side))
    return Table("All layers", tuple(columns), tuple(zip(*values, strict=True)), "layers")


def _kind(values: Sequence[Any]) -> str:
    is_number = all(value is None or isinstance(value, int | float) for value in values)
    return "number" if is_number else "text"


def _cell(value: Any) -> Any:
    """Numbers and texts as they are; lists as one text; NaN is None."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _tensors(subject: Subject, side: str) -> list[str]:
    layers = subject.plan.layers if subject.plan is not None else ()
    tensors = (layer.inputs if side == "Inputs" else layer.outputs for layer in layers)
    return ["; ".join(f"{tensor.name}: {tensor_words(tensor)}" for tensor in layer) for layer in tensors]
