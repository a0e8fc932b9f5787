"""Parquet: the report's table of all layers with typed columns; needs the ``parquet`` extra."""

from __future__ import annotations

from trex.export.frames import parquet
from trex.export.report import ReportFormat, ReportStyle
from trex.views.report.report import Report


def render(report: Report, style: ReportStyle) -> bytes:
    """Raises TrexError naming the extra when pyarrow is not installed."""
    return parquet.render(report.subject.frame)


FORMAT = ReportFormat((".parquet",), render, is_text=False)
