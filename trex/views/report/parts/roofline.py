"""What bounds each layer on this GPU, and what could be saved."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.assembly import part_of
from trex.views.report.report import Part, PartMaker

TITLE = "Roofline"


def make(subject: Subject) -> Part | None:
    return part_of(subject, "roofline", TITLE, sections=("device", "roofline", "work"), groups=("roofline",))


PART = PartMaker(TITLE, 50, make)
