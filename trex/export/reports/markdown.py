"""Markdown: the whole report as text and tables, for issues, pull requests and wikis."""

from __future__ import annotations

from collections.abc import Iterator

from trex.export.performance_markdown import content_markdown, escaped, table_markdown
from trex.export.report import ReportFormat, ReportStyle
from trex.views.performance.section import Content
from trex.views.plot import Bars, Empty, Pies, Plot
from trex.views.plot_table import plot_table
from trex.views.report.report import Report
from trex.views.table import Table

MOST_ROWS = 20


def render(report: Report, style: ReportStyle) -> bytes:
    return ("\n".join(_lines(report)) + "\n").encode("utf-8")


def _lines(report: Report) -> Iterator[str]:
    summary = report.summary
    yield f"# {escaped(summary.title)}"
    if summary.statement:
        yield f"\n**{escaped(summary.statement)}**"
    whole = Content(facts=summary.facts, tables=summary.tables, notes=summary.caveats)
    yield from content_markdown(whole.seen_from(summary.folder))
    for part in report.parts:
        told = [*content_markdown(part.content.seen_from(summary.folder))]
        for item in part.items:
            shown = item.make()
            if isinstance(shown, Bars | Pies):
                told += _chart(shown)
            elif isinstance(shown, Empty):
                told += [f"\n*{escaped(item.title)}: {escaped(shown.reason)}.*"]
        if told:
            yield f"\n## {escaped(part.title)}"
            yield from told


def _chart(plot: Plot) -> Iterator[str]:
    """The numbers behind a chart: all of a few, the largest of many."""
    table = plot_table(plot)
    if len(table.rows) <= MOST_ROWS:
        yield from table_markdown(table)
    elif isinstance(plot, Bars):
        place = len(table.columns) - 1 - bool(plot.shades)
        rows = sorted((row for row in table.rows if row[place] == row[place]), key=lambda row: -(row[place] or 0.0))
        title = f"{table.title}: the largest {MOST_ROWS} of {len(table.rows)}"
        yield from table_markdown(Table(title, table.columns, tuple(rows[:MOST_ROWS])))


FORMAT = ReportFormat((".md", ".markdown"), render)
