"""What was measured, how steady it is, and what these numbers can support."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.assembly import part_of
from trex.views.report.report import Part, PartMaker

TITLE = "Time"


def make(subject: Subject) -> Part | None:
    return part_of(subject, "time", TITLE, sections=("time", "reconciliation"), groups=("time",))


PART = PartMaker(TITLE, 40, make)
