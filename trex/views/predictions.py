"""Predicted outcomes → Table: what an inference would take on GPUs, at batches and after changes, with error bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trex.views.devices import without_maker
from trex.views.table import Table, TableColumn

ORIGIN = (
    "simulated: predicted by trex, nothing was built or measured; the times between which it is expected are from "
    "`trex validate`, those of a speed-up are the worst case of both times"
)

_COLUMNS = {
    "device": TableColumn("GPU"),
    "batch": TableColumn("batch", "count", if_known=True),
    "model": TableColumn("model"),
    "compute_ms": TableColumn("time", "ms", "ms"),
    "from_ms": TableColumn("from", "ms", "ms"),
    "to_ms": TableColumn("to", "ms", "ms"),
    "speedup": TableColumn("speed-up", "number", if_known=True),
    "speedup_from": TableColumn("least", "number", if_known=True),
    "speedup_to": TableColumn("most", "number", if_known=True),
    "samples_per_s": TableColumn("samples/s", "rate"),
    "layers": TableColumn("layers", "count"),
}
_ROUNDED = frozenset({"speedup", "speedup_from", "speedup_to"})


def predictions_table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """rows: records of a what-if, one per outcome, in the order in which they are shown."""
    shown = tuple(tuple(_cell(name, row[name]) for name in _COLUMNS) for row in rows)
    return Table("Simulated: GPU compute of one inference", tuple(_COLUMNS.values()), shown)


def _cell(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "device":
        return without_maker(value)
    return round(value, 2) if name in _ROUNDED else value
