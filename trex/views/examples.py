"""Examples that come with the package → Table: what each one is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.plan.engine_plan import EnginePlan
from trex.views.table import Table, TableColumn

SCHEMA = "trex.examples/1"


def examples_table(plans: Iterable[tuple[str, EnginePlan]]) -> Table:
    """One row per (address, plan)."""
    columns = (
        TableColumn("example"),
        TableColumn("what it is"),
        TableColumn("layers", "count"),
        TableColumn("average ms", "ms"),
    )
    rows = [(address, _subject(plan), len(plan.layers), plan.total_runtime) for address, plan in plans]
    return Table("Example engines (simulated: predicted by trex, not built or measured)", columns, tuple(rows))


def networks_table(texts: Mapping[str, str]) -> Table:
    """One row per network that can be written; texts: name → what it is."""
    columns = (TableColumn("model"), TableColumn("what it is"))
    return Table("Example networks (ONNX models: --model NAME -o FILE)", columns, tuple(texts.items()))


def _subject(plan: EnginePlan) -> str:
    """The subject that an example's own metadata tells."""
    for metadata in (plan.build_metadata, plan.metadata):
        told = metadata.extra.get("simulated")
        if isinstance(told, dict) and isinstance(told.get("subject"), str):
            return str(told["subject"])
    return ""
