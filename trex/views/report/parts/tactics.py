"""The kernels TensorRT chose, taken apart by name."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.assembly import part_of
from trex.views.report.report import Part, PartMaker

TITLE = "Tactics"


def make(subject: Subject) -> Part | None:
    return part_of(subject, "tactics", TITLE, sections=("tactics",), groups=("tactics",))


PART = PartMaker(TITLE, 70, make)
