"""Predicted outcomes → Table: what an inference would take on GPUs, at batches and after changes, with error bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trex.core.note import Note
from trex.views.devices import without_maker
from trex.views.document import Document, Section, Text
from trex.views.table import Table, TableColumn

ORIGIN = (
    "Error bars come from validation on real engines (trex validate); a speed-up's are the worst case of both times."
)

_COLUMNS = {
    "device": TableColumn("GPU", "name", readable=11),
    "batch": TableColumn("batch", "count", if_known=True),
    "model": TableColumn("model", readable=12),
    "compute_ms": TableColumn("time", "ms", "ms"),
    "from_ms": TableColumn("from", "ms", "ms"),
    "to_ms": TableColumn("to", "ms", "ms"),
    "speedup": TableColumn("speed-up", "number", if_known=True),
    "speedup_from": TableColumn("least", "number", if_known=True),
    "speedup_to": TableColumn("most", "number", if_known=True),
    "samples_per_s": TableColumn("samples/s", "rate"),
    "layers": TableColumn("layers", "count"),
    "unjudged": TableColumn(
        "not judged", "pct", "%", if_known=True, meaning="time in work that no measured engine has judged"
    ),
}


def predictions_document(
    title: str, statement: str, rows: Sequence[Mapping[str, Any]], notes: Sequence[Note]
) -> Document:
    """rows: records of a what-if, one per outcome. Those that could not be predicted are notes."""
    section = Section("predictions", "", (predictions_table(rows), Text((ORIGIN,))), data={"outcomes": list(rows)})
    return Document("whatif", title, statement, (section,), tuple(notes))


_ROUNDED = frozenset({"speedup", "speedup_from", "speedup_to"})


def predictions_table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """rows: records of a what-if, one per outcome, in the order in which they are shown."""
    shown = tuple(tuple(_cell(name, row[name]) for name in _COLUMNS) for row in rows)
    return Table("GPU compute of one inference (simulated)", tuple(_COLUMNS.values()), shown, "predictions")


def _cell(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "device":
        return without_maker(value)
    if name == "unjudged":
        return 100 * value
    return round(value, 2) if name in _ROUNDED else value
