"""Weights, activations and what sets the peak."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.assembly import part_of
from trex.views.report.report import Part, PartMaker

TITLE = "Memory"


def make(subject: Subject) -> Part | None:
    return part_of(subject, "memory", TITLE, sections=("memory",), groups=("memory",))


PART = PartMaker(TITLE, 75, make)
