"""CSV: one row per finding, safe to open in a spreadsheet; lists are JSON text."""

from __future__ import annotations

from trex.core.provenance import COLUMN, Provenance
from trex.export.frame import FORMATS
from trex.export.review import ReviewFormat, ReviewStyle
from trex.rules.lint_result import LintResult
from trex.views.review.frame import findings_frame


def render(result: LintResult, style: ReviewStyle) -> str:
    findings = (*result.findings, *result.suppressed) if style.show_suppressed else result.findings
    frame = findings_frame(findings)
    if result.statement == Provenance.SIMULATED.statement:
        frame.attrs[COLUMN] = Provenance.SIMULATED.label
    data: bytes = FORMATS["csv"].value.render(frame)
    return data.decode("utf-8")


FORMAT = ReviewFormat((".csv",), render)
