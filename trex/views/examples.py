"""Examples that come with the package → Document: engines to read, networks to write as ONNX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.core.provenance import Provenance
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Document, Section
from trex.views.table import Table, TableColumn


def examples_document(plans: Iterable[tuple[str, EnginePlan]], networks: Mapping[str, str]) -> Document:
    """plans: (address, plan). networks: name → what it is."""
    sections = (
        Section("engines", f"Engines ({Provenance.BUILT_ON_CPU.statement})", (examples_table(plans),)),
        Section("models", "ONNX models (trex examples --model NAME -o FILE)", (networks_table(networks),)),
    )
    return Document("examples", "Examples", sections=sections)


def examples_table(plans: Iterable[tuple[str, EnginePlan]]) -> Table:
    """One row per (address, plan)."""
    columns = (
        TableColumn("example", "name", readable=30),
        TableColumn("description", readable=24),
        TableColumn("layers", "count"),
        TableColumn("sum of layer times", "ms", "ms"),
    )
    rows = [(address, _subject(plan), len(plan.working_layers), plan.layers_ms) for address, plan in plans]
    return Table("", columns, tuple(rows), "engines")


def networks_table(texts: Mapping[str, str]) -> Table:
    """One row per network that can be written; texts: name → what it is."""
    columns = (TableColumn("model"), TableColumn("description"))
    return Table("", columns, tuple(texts.items()), "models")


def _subject(plan: EnginePlan) -> str:
    """The description in an example's own metadata."""
    return str(plan.build_metadata.extra.get("subject", ""))
