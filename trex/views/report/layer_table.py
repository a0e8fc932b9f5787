"""Subject → Table of all layers, for readers that sort and filter; ``trex layers`` has the frame's other columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from trex.perf.columns import PERFORMANCE_COLUMNS
from trex.plan.columns import COLUMN_BY_NAME
from trex.views.chart import Subject
from trex.views.diagram.labels import tensor_words
from trex.views.frame_table import declared_column, frame_column
from trex.views.table import Table, TableColumn

TIME = "latency.avg_time"
_FIRST = (
    "layer.index", "Name", TIME, "latency.pct_time", "type", "precision", "perf.bound", "perf.achieved_share",
    "perf.headroom_ms", "output_precision", "total_io_size_bytes", "weights_size",
    "total_footprint_bytes", "tactic", "layer.module",
)  # fmt: skip
_WORK = (
    "perf.kind", "perf.macs", "perf.bytes", "perf.intensity", "perf.achieved_tflops", "perf.achieved_gb_per_s",
    "perf.tile_efficiency",
)  # fmt: skip
"""What a layer does and how fast; ``trex.roofline.add_performance`` adds the steps from there to its bound, too."""
_OTHERS = ("subtype", "latency.median_time", "precision.evidence", "StreamId", "layer.origins", "Metadata")
_TENSORS = ("Inputs", "Outputs")
_TITLES = {
    "layer.index": "#",
    "Name": "Layer",
    TIME: "Time",
    "latency.pct_time": "Share",
    "type": "Type",
    "precision": "Precision",
    "perf.bound": "Bound by",
    "perf.achieved_share": "Of its roofline",
    "perf.headroom_ms": "Headroom",
    "output_precision": "Writes",
    "total_io_size_bytes": "Inputs and outputs",
    "weights_size": "Weights",
    "total_footprint_bytes": "Footprint",
    "tactic": "Kernel",
    "layer.module": "Module",
    "perf.kind": "Work",
    "perf.macs": "MACs",
    "perf.bytes": "Bytes moved",
    "perf.intensity": "Arithmetic intensity",
    "perf.achieved_tflops": "Arithmetic rate",
    "perf.achieved_gb_per_s": "Memory rate",
    "perf.tile_efficiency": "Tile efficiency",
    "subtype": "Implementation",
    "latency.median_time": "Median time",
    "precision.evidence": "Precision known from",
    "StreamId": "Stream",
    "layer.origins": "ONNX nodes",
}
"""What people call the columns; programs and filters have the names of ``plan.df``, too."""
SHOWN = 8
"""How many columns a page shows at first."""


def layer_table(subject: Subject) -> Table:
    """One row per layer; the columns that people look at first come first."""
    frame, performance = subject.frame, subject.performance
    values: dict[str, Sequence[Any]] = {
        name: frame[name].tolist() for name in COLUMN_BY_NAME if name in frame and name not in _TENSORS
    }
    columns = {name: declared_column(name, _are_numbers(cells)) for name, cells in values.items()}
    if performance is not None and len(performance.plan.working_layers) == len(frame):
        for measure in PERFORMANCE_COLUMNS:
            if measure.name not in _FIRST + _WORK:
                continue
            cells = values[measure.name] = list(measure.values(performance))
            columns[measure.name] = frame_column(measure.name, measure.unit, measure.meaning, _are_numbers(cells))
    names = [name for name in _FIRST + _WORK + _OTHERS if name in columns]
    for side in _TENSORS:
        columns[side] = TableColumn(side, meaning="name, type, shape and layout of every tensor", identifier=side)
        values[side] = _tensors(subject, side)
    names += _TENSORS
    rows = zip(*([_cell(value) for value in values[name]] for name in names), strict=True)
    return Table("All layers", tuple(_titled(columns[name]) for name in names), tuple(rows), "layers")


def _titled(column: TableColumn) -> TableColumn:
    title = _TITLES.get(column.name, column.name)
    return replace(column, name=title, unit="" if column.unit == title else column.unit)


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, int | float) for value in values)


def _cell(value: Any) -> Any:
    """Numbers and texts as they are; lists as one text; NaN is None."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _tensors(subject: Subject, side: str) -> list[str]:
    layers = subject.plan.working_layers if subject.plan is not None else ()
    tensors = (layer.inputs if side == "Inputs" else layer.outputs for layer in layers)
    return ["; ".join(f"{tensor.name}: {tensor_words(tensor)}" for tensor in layer) for layer in tensors]
