"""Every convolution by time, work, data and efficiency."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.assembly import part_of
from trex.views.report.report import Part, PartMaker

TITLE = "Convolutions"


def make(subject: Subject) -> Part | None:
    return part_of(subject, "convolutions", TITLE, groups=("convolutions",))


PART = PartMaker(TITLE, 60, make)
