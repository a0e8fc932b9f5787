"""Layers that only convert: why they are there and what they cost."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.assembly import part_of
from trex.views.report.report import Part, PartMaker

TITLE = "Reformats"


def make(subject: Subject) -> Part | None:
    return part_of(subject, "reformats", TITLE, groups=("reformats",))


PART = PartMaker(TITLE, 80, make)
