"""Every layer with its columns, to sort, filter and select."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.report import Item, LayerTable, Part, PartMaker

TITLE = "Layers"


def make(subject: Subject) -> Part | None:
    if subject.plan is None or not subject.plan.layers:
        return None
    return Part("layers", TITLE, items=(Item("layers", "All layers", LayerTable),))


PART = PartMaker(TITLE, 90, make)
