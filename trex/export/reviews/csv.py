"""CSV: one row per finding, safe to open in a spreadsheet; lists are JSON text."""

from __future__ import annotations

from trex.core.provenance import COLUMN, Provenance
from trex.export.frame import FORMATS
from trex.export.review import ReviewFormat, ReviewStyle
from trex.views.review.frame import findings_frame
from trex.views.review.reading import ReviewReading


def render(reading: ReviewReading, style: ReviewStyle) -> str:
    findings = (*reading.findings, *reading.suppressed) if style.show_suppressed else reading.findings
    frame = findings_frame(findings)
    if reading.statement == Provenance.SIMULATED.statement:
        frame.attrs[COLUMN] = Provenance.SIMULATED.label
    data: bytes = FORMATS["csv"].value.render(frame)
    return data.decode("utf-8")


FORMAT = ReviewFormat((".csv",), render)
