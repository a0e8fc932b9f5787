"""The engine's graph, to look at and to walk through."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.report import GraphPicture, Item, Part, PartMaker

TITLE = "Graph"


def make(subject: Subject) -> Part | None:
    if subject.plan is None or not subject.plan.layers:
        return None
    return Part("graph", TITLE, items=(Item("graph", "Engine graph", GraphPicture),))


PART = PartMaker(TITLE, 20, make)
