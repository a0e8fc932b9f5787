"""Text: what a terminal shows of the report: facts, sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from trex.export.lettering import cell_width
from trex.export.lines import Line, plain
from trex.export.performance_text import content_lines
from trex.export.report import ReportFormat, ReportStyle
from trex.export.text import summary_lines
from trex.views.report.report import Report


def render(report: Report, style: ReportStyle) -> bytes:
    return plain(report_lines(report)).encode("utf-8")


def report_lines(report: Report, width: int | None = None, bars: bool = False) -> Iterator[Line]:
    """Summary and every part that says something; charts are for the other formats."""
    yield from summary_lines(report.summary, width, bars)
    for part in report.parts:
        lines = list(content_lines(part.content, report.summary.folder, width, bars))
        if lines:
            yield []
            yield [(part.title, "title")]
            yield [("=" * cell_width(part.title), "rule")]
            yield from lines


FORMAT = ReportFormat((".txt",), render)
