"""Baselines of a folder → Document: one row per kept run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.perf.performance import Performance
from trex.plan.baselines import BaselineFile, load_baseline
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Document, Section, TableBlock, Text
from trex.views.table import Table, TableColumn

_COLUMNS = (
    TableColumn("model"),
    TableColumn("GPU"),
    TableColumn("TensorRT"),
    TableColumn("layers", "count"),
    TableColumn("GPU compute", "ms", "ms", if_known=True),
    TableColumn("latency", "ms", "ms", if_known=True),
    TableColumn("samples", "count", if_known=True),
    TableColumn("provenance", if_known=True),
)


def baselines_document(folder: str, kept: Sequence[BaselineFile]) -> Document:
    """The baselines of a folder; those that cannot be read are notes."""
    table, notes = baselines_table(kept)
    block = TableBlock("baselines", "", lambda: table, "baselines", is_main=bool(table.rows))
    empty = () if kept else (Text(("None. Add one: trex baseline add PATH",)),)
    section = Section("baselines", "", (*empty, block), data={"folder": folder})
    return Document("baseline", f"Baselines in {folder}", sections=(section,), notes=notes)


def kept_document(action: str, kept: Sequence[tuple[str, str]], notes: tuple[Note, ...] = ()) -> Document:
    """kept: (file, what an update changed) per baseline that was written. action: ``add`` or ``update``.

    notes: why no gate can judge the layer times that were kept.
    """
    lines = tuple(line for file, change in kept for line in (file, change) if line)
    data = {"kept": [{"file": file, "change": change} for file, change in kept]}
    title = f"{counted(len(kept), 'baseline')} {'updated' if action == 'update' else 'added'}"
    return Document("baseline", title, sections=(Section("kept", "", (Text(lines),), data=data),), notes=notes)


def baselines_table(kept: Sequence[BaselineFile]) -> tuple[Table, tuple[Note, ...]]:
    """One row per baseline, medians in ms; Notes of those that cannot be read."""
    rows, notes = [], []
    for item in kept:
        try:
            plan = load_baseline(EnginePlan, item.path)
            performance = Performance(plan)
            rows.append(_row(item, performance))
            for note in performance.contradicted[:1]:
                message = f"times that can't be trusted: {note.message}"
                notes.append(Note("baseline-doubted", message, "keep a run without problems", item.path, "problem"))
        except TrexError as error:
            notes.append(Note("baseline-not-read", error.message, error.hint, error.where or item.path, "problem"))
    return Table("", _COLUMNS, tuple(rows), "baselines"), tuple(notes)


def _row(kept: BaselineFile, performance: Performance) -> tuple[Any, ...]:
    plan, measures = performance.plan, performance.reconciliation.measures
    samples = None if plan.query_times is None else len(plan.query_times)
    figures = (
        len(plan.working_layers),
        measures.compute.ms,
        measures.latency.ms,
        samples,
        plan.provenance.label or None,
    )
    return (kept.key.model, kept.key.gpu, kept.key.version, *figures)
