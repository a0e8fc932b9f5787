"""Excel: a sheet for every section with its tables and native charts, and all layer groups to sort and filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trex.compare.plan_diff import PlanDiff
from trex.export.comparison import ComparisonFormat, ComparisonStyle, pairs_of
from trex.export.workbook.native_chart import DataSheet, natives
from trex.export.workbook.sheets import Sheets
from trex.views.comparison.chart import CHARTS
from trex.views.comparison.groups import group_columns
from trex.views.comparison.reading import ComparisonReading
from trex.views.performance.section import Content
from trex.views.plot import Empty, Plot
from trex.views.table import Table, TableColumn

_CHART_ROWS = 17


def render(reading: ComparisonReading, style: ComparisonStyle) -> bytes:
    """Raises TrexError naming the extra when xlsxwriter is not installed."""
    sheets = Sheets()
    _summary(sheets, reading)
    plugs = sorted(CHARTS.values(), key=lambda plug: plug.value.order)
    later: list[tuple[Any, int, Plot]] = []
    for name, title, content in reading.sections:
        sheet = _sheet(sheets, title)
        row = _section(sheets, sheet, 1, content)
        plots: list[Plot | Empty] = [plot for where, plot in reading.plots if where == name]
        if not reading.news and reading.comparisons:
            plots += [plug.value.make(reading.comparisons[0]) for plug in plugs if plug.value.section == name]
        later += _seats(sheet, row, plots)
    labels = reading.labels or reading.news
    for label, pair in zip(labels, pairs_of(reading), strict=True):
        sheet, row = _sheet(sheets, pair.title, f"→ {label}"), 1
        for _, title, content in pair.sections:
            sheets.text(sheet, row, 0, title, sheets.heading)
            row = _section(sheets, sheet, row + 1, content)
        later += _seats(sheet, row, [plug.value.make(each) for each in pair.comparisons for plug in plugs])
    names = [f"Groups {label}" for label in labels] or ["Layer groups"]
    for name, comparison in zip(names, reading.comparisons, strict=False):
        _groups(sheets, comparison, name)
    data = DataSheet(sheets, "Data of charts") if later else None
    for seat, row, plot in later:
        for native in natives(plot, style.look):
            assert data is not None
            seat.insert_chart(
                row, 0, data.chart(native, f"{plot.title} ({native.note})" if native.note else plot.title)
            )
    return sheets.content()


def _summary(sheets: Sheets, reading: ComparisonReading) -> None:
    sheet = sheets.sheet("Summary")
    sheet.set_column(0, 0, 26)
    sheet.set_column(1, 1, 110)
    sheets.text(sheet, 0, 0, reading.title, sheets.title)
    row = 1
    if reading.statement:
        sheets.text(sheet, row, 0, reading.statement, sheets.warning)
        row += 1
    for _, title, content in sorted(reading.sections, key=lambda each: each[0] != "verdict"):
        for at, statement in enumerate(content.statements):
            sheets.text(sheet, row, 0, "" if at else title, sheets.heading)
            sheets.line(sheet, row, 1, statement)
            row += 1


def _seats(sheet: Any, row: int, plots: Sequence[Plot | Empty]) -> list[tuple[Any, int, Plot]]:
    """Charts that a spreadsheet can draw, below one another."""
    shown = [plot for plot in plots if isinstance(plot, Plot) and natives(plot)]
    return [(sheet, row + at * _CHART_ROWS, plot) for at, plot in enumerate(shown)]


def _sheet(sheets: Sheets, title: str, name: str = "") -> Any:
    sheet = sheets.sheet(name or title)
    sheets.widen(sheet, 0, 34)
    sheets.text(sheet, 0, 0, title, sheets.title)
    return sheet


def _section(sheets: Sheets, sheet: Any, row: int, content: Content) -> int:
    """Sentences, facts, tables, derivations and notes below one another; the row below."""
    row = sheets.sentences(sheet, row, content.statements)
    for fact in content.facts:
        sheets.text(sheet, row, 0, fact.label)
        sheets.text(sheet, row, 1, fact.text)
        row += 1
    row += 1
    for table in content.tables:
        row = sheets.table(sheet, row, 0, table.for_people())
    if content.derivations:
        heads = (TableColumn("figure"), TableColumn("how it comes about"))
        row = sheets.table(sheet, row, 0, Table("How these figures come about", heads, content.derivations))
    if content.notes:
        columns = (TableColumn("note"), TableColumn("what to do"), TableColumn("severity"), TableColumn("code"))
        rows = tuple((note.message, note.hint, note.severity, note.code) for note in content.notes)
        row = sheets.table(sheet, row, 0, Table("Notes", columns, rows))
    return row


def _groups(sheets: Sheets, comparison: PlanDiff, name: str) -> None:
    """All groups of matched layers, with filters; the head and the names are kept in sight."""
    columns = group_columns(comparison)
    kinds = {"ms": "ms", "bytes": "bytes", "%": "pct"}
    heads = tuple(
        TableColumn(each.name, kinds.get(each.unit, "number" if each.name in _NUMBERS else "text"), each.unit)
        for each in columns
    )
    table = Table("", heads, tuple(zip(*(each.values for each in columns), strict=True)))
    sheet = sheets.sheet(name)
    sheets.table(sheet, 0, 0, table, filters=True)
    sheets.widths(sheet, 0, table)
    sheet.freeze_panes(1, 1)


_NUMBERS = frozenset(("speedup", "confidence", "base_macs", "new_macs"))

FORMAT = ComparisonFormat((".xlsx",), render, is_text=False)
