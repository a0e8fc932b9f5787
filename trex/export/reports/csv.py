"""CSV: the report's table of all layers, safe to open in a spreadsheet; charts and sentences are for other formats."""

from __future__ import annotations

from trex.export.frames import csv
from trex.export.report import ReportFormat, ReportStyle
from trex.views.report.report import Report


def render(report: Report, style: ReportStyle) -> bytes:
    return csv.render(report.subject.frame)


FORMAT = ReportFormat((".csv",), render)
