"""DataFrame of layers → Document: the rows and columns that ``trex layers`` was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Document, Section, TableBlock, folder_of
from trex.views.frame_table import frame_table

if TYPE_CHECKING:
    import pandas as pd


def layers_document(frame: pd.DataFrame, plan: EnginePlan) -> Document:
    """One table. Programs get the frame's own column names and nested values."""
    block = TableBlock(
        "layers", "Layers", lambda: frame_table(frame, "", "layers"), "layers", is_main=True,
        example="latency.avg_time>0.05",
    )  # fmt: skip
    return Document(
        command="layers",
        title=plan.name,
        statement=plan.statement,
        sections=(Section("layers", "", (block,)),),
        notes=Performance(plan).notes,
        folder=folder_of(plan.engine.source),
        source=plan,
    )
