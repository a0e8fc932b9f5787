"""Baselines of a folder → Table: what is kept, of which run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.perf.performance import Performance
from trex.plan.baselines import BaselineFile, load_baseline
from trex.plan.engine_plan import EnginePlan
from trex.views.table import Table, TableColumn

SCHEMA = "trex.baselines/1"
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


def baselines_table(kept: Sequence[BaselineFile]) -> tuple[Table, tuple[Note, ...]]:
    """One row per baseline, medians in ms; Notes of those that cannot be read."""
    rows, notes = [], []
    for each in kept:
        try:
            rows.append(_row(each))
        except TrexError as error:
            notes.append(Note("baseline-not-read", error.message, error.hint, error.where or each.path, "problem"))
    return Table("Baselines", _COLUMNS, tuple(rows)), tuple(notes)


def _row(kept: BaselineFile) -> tuple[Any, ...]:
    plan = load_baseline(EnginePlan, kept.path)
    measures = Performance(plan).reconciliation.measures
    samples = None if plan.query_times is None else len(plan.query_times)
    told = (len(plan.layers), measures.compute.ms, measures.latency.ms, samples, plan.provenance.label or None)
    return (kept.key.model, kept.key.gpu, kept.key.version, *told)
