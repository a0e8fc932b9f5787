"""Where the time goes: by layer, type and precision."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.assembly import part_of
from trex.views.report.report import Part, PartMaker

TITLE = "Performance"


def make(subject: Subject) -> Part | None:
    return part_of(subject, "performance", TITLE, groups=("performance",))


PART = PartMaker(TITLE, 30, make)
