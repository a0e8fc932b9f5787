"""Predicted outcomes → Table: what an inference would take on GPUs, at batches and after changes, with error bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trex.views.table import Table, TableColumn

ORIGIN = (
    "simulated: predicted by trex, nothing was built or measured; the times between which it is expected are from "
    "`trex validate`"
)

_COLUMNS = {
    "device": TableColumn("GPU"),
    "batch": TableColumn("batch", "count", if_known=True),
    "model": TableColumn("model"),
    "layers": TableColumn("layers", "count"),
    "compute_ms": TableColumn("predicted", "ms", "ms"),
    "from_ms": TableColumn("from", "ms", "ms"),
    "to_ms": TableColumn("to", "ms", "ms"),
    "samples_per_s": TableColumn("samples/s", "rate"),
    "speedup": TableColumn("speed-up", "number", if_known=True),
}


def predictions_table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """rows: records of a what-if, one per outcome, in the order in which they are shown."""
    shown = tuple(
        tuple(
            None if row[name] is None else round(row[name], 2) if name == "speedup" else row[name] for name in _COLUMNS
        )
        for row in rows
    )
    return Table("Simulated: GPU compute of one inference", tuple(_COLUMNS.values()), shown)
