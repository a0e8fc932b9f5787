"""JSON: every finding with its evidence and price, for programs; the schema is versioned (``trex.lint/1``)."""

from __future__ import annotations

from trex.export.frame import json_text, plain_value
from trex.export.review import ReviewFormat, ReviewStyle
from trex.rules.lint_result import LintResult


def render(result: LintResult, style: ReviewStyle) -> str:
    return json_text(plain_value(result.as_dict()), indent=1) + "\n"


FORMAT = ReviewFormat((".json",), render)
