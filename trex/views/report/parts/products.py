"""Convolutions and matrix products by their sizes and efficiency."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.assembly import part_of
from trex.views.report.report import Part, PartMaker

TITLE = "Matrix products"


def make(subject: Subject) -> Part | None:
    return part_of(subject, "products", TITLE, groups=("products", "efficiency"))


PART = PartMaker(TITLE, 65, make)
