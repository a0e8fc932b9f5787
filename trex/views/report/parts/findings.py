"""What slows the engine down, what it costs, and how to fix it."""

from __future__ import annotations

from trex.views.chart import Subject
from trex.views.report.report import Part, PartMaker
from trex.views.review.tables import lint_content

TITLE = "Findings"


def make(subject: Subject) -> Part | None:
    if subject.lint is None or not subject.lint.plan.layers:
        return None
    return Part("findings", TITLE, lint_content(subject.lint.result))


PART = PartMaker(TITLE, 10, make)
