"""What slows the engine down, what it costs, and what to try."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.report import Part, PartMaker
from trex.views.review.reading import read_review
from trex.views.review.tables import review_content

TITLE = "Findings"


def make(subject: Subject) -> Part | None:
    if subject.advice is None or not subject.advice.plan.layers:
        return None
    return Part("findings", TITLE, review_content(read_review(subject.advice.review)))


PART = PartMaker(TITLE, 10, make)
