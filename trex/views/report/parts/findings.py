"""What slows the engine down, what it costs, and what to try."""

from __future__ import annotations

from trex.rules.review import review
from trex.views.chart import Subject
from trex.views.report.report import Part, PartMaker
from trex.views.review.reading import read_review
from trex.views.review.tables import review_content

TITLE = "Findings"


def make(subject: Subject) -> Part | None:
    if subject.performance is None or not subject.performance.plan.layers:
        return None
    return Part("findings", TITLE, review_content(read_review(review(subject.performance))))


PART = PartMaker(TITLE, 10, make)
