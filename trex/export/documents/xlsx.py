"""Excel: a sheet for every section with its tables and native charts; tables of many rows have a filter.

Text from an engine is never a formula. Charts are the spreadsheet's own, over numbers on the sheet "Chart data".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from trex.core.note import Note
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.figures.look import Look
from trex.export.workbook.native_chart import DataSheet, natives
from trex.export.workbook.sheets import Sheets
from trex.views.document import Block, Document, Facts, Findings, PlotBlock, SceneBlock, Section, TableBlock, Text
from trex.views.findings import findings_table
from trex.views.plot import Empty, Plot
from trex.views.table import Table, TableColumn

_CHART_ROWS, _CHART_PIXELS = 17, 640


def render(document: Document, style: RenderStyle) -> bytes:
    """Raises TrexError naming the extra when xlsxwriter is not installed."""
    sheets = Sheets()
    fill(sheets, document, style.look)
    return sheets.content()


def fill(sheets: Sheets, document: Document, look: Look) -> None:
    """Sections, tables to filter, notes, and the numbers of the charts on the last sheet."""
    page = _SheetWriter(sheets, document)
    for section in document.sections:
        page.section(section)
        only = len(section.blocks) == 1 and section.title
        for block in section.blocks:
            if isinstance(block, TableBlock):
                browse_sheet(sheets, only or block.title, block.make().for_programs())
    if document.notes:
        page.open("Notes")
        page.notes(document.notes, "")
    if page.plots:
        data = DataSheet(sheets, "Chart data")
        for sheet, row, column, plot in page.plots:
            _insert(data, sheet, row, column, plot, look)


def browse_sheet(sheets: Sheets, name: str, table: Table) -> None:
    """A table of many rows with filters; its head and its first columns stay in view."""
    sheet = sheets.sheet(name)
    untitled = Table("", table.columns, table.rows)
    sheets.table(sheet, 0, 0, untitled, filters=True)
    sheets.widths(sheet, 0, untitled)
    first_text = next((index for index, column in enumerate(table.columns) if not column.is_number), 0)
    sheet.freeze_panes(1, min(first_text, 1) + 1)


class _SheetWriter:
    """Writes sections one below the other, on sheets of their own where they have a title and more than sentences.

    plots: (sheet, row, column, plot) of the charts, to be inserted when the sheet with their numbers exists.
    """

    def __init__(self, sheets: Sheets, document: Document) -> None:
        self.sheets, self.document = sheets, document
        self.plots: list[tuple[Any, int, int, Plot]] = []
        self.sheet: Any = None
        self.row = 0
        first = next(iter(document.sections), None)
        self.open(first.title if first and first.title else "Summary")

    def open(self, title: str) -> None:
        """A new sheet; the first begins with what the document is about."""
        document, is_first = self.document, self.sheet is None
        self.sheet = self.sheets.sheet(title)
        self.sheets.widen(self.sheet, 0, 34)
        self.sheets.text(self.sheet, 0, 0, document.title if is_first else title, self.sheets.title)
        self.row = 1
        if is_first:
            for words, style in ((document.subtitle, None), (document.statement, self.sheets.warning)):
                if words:
                    self.sheets.text(self.sheet, self.row, 0, words, style)
                    self.row += 1

    def section(self, section: Section) -> None:
        blocks = [block for block in section.blocks if not isinstance(block, TableBlock | SceneBlock)]
        if not blocks and not section.notes:
            return
        is_first = section is self.document.sections[0]
        if section.title and not is_first and not all(isinstance(block, Text) for block in blocks):
            self.open(section.title)
        elif section.title and not is_first:
            self.sheets.text(self.sheet, self.row, 0, section.title, self.sheets.heading)
            self.row += 1
        plots: list[Plot] = []
        for block in blocks:
            plots += self._block(block)
        self.notes(section.notes)
        for number, plot in enumerate(plots):
            self.plots.append((self.sheet, self.row + 1 + number // 2 * _CHART_ROWS, number % 2, plot))
        self.row += (len(plots) + 1) // 2 * _CHART_ROWS + (2 if plots else 0)

    def _block(self, block: Block) -> Iterator[Plot]:
        """Writes a block; yields the plot of a chart that a spreadsheet can draw."""
        if isinstance(block, Text):
            self.row = self.sheets.sentences(self.sheet, self.row, block.lines)
        elif isinstance(block, Facts):
            self._facts(block)
        elif isinstance(block, Table):
            self._table(block.for_people())
        elif isinstance(block, Findings) and block.findings:
            table = findings_table(block.findings, block.title)
            self._table(replace(table, left_out=table.left_out + block.left_out).for_people())
        elif isinstance(block, PlotBlock):
            plot = block.make()
            if isinstance(plot, Empty):
                words = f"{block.title}: {plot.reason}. {plot.hint}"
                self.row = self.sheets.sentences(self.sheet, self.row, [words])
            elif natives(plot):
                yield plot

    def _facts(self, block: Facts) -> None:
        if block.is_folded:
            rows = tuple((fact.label, fact.text) for fact in block.facts)
            self._table(Table(block.title, (TableColumn("figure"), TableColumn("how")), rows))
            return
        if block.title:
            self.sheets.text(self.sheet, self.row, 0, block.title, self.sheets.heading)
            self.row += 1
        for fact in block.facts:
            self.sheets.text(self.sheet, self.row, 0, fact.label)
            self.sheets.text(self.sheet, self.row, 1, fact.text)
            self.row += 1
        self.row += 1

    def _table(self, table: Table) -> None:
        self.row = self.sheets.table(self.sheet, self.row, 0, table)

    def notes(self, notes: Sequence[Note], title: str = "Notes") -> None:
        if not notes:
            return
        columns = tuple(map(TableColumn, ("note", "what to do", "where", "severity", "code")))
        rows = tuple((note.message, note.hint, note.where, note.severity, note.code) for note in notes)
        self._table(Table(title, columns, rows))


def _insert(data: DataSheet, sheet: Any, row: int, column: int, plot: Plot, look: Look) -> None:
    """The plot's charts, side by side from the column on."""
    for number, native in enumerate(natives(plot, look)):
        title = f"{plot.title}: {native.title}" if native.title else plot.title
        notes = "; ".join(filter(None, (plot.note, native.note)))
        title = f"{title} ({notes})" if notes else title
        offset = {"x_offset": (column + number) * _CHART_PIXELS}
        sheet.insert_chart(row, 0, data.chart(native, title), offset)


FORMAT = DocumentFormat((".xlsx",), render, is_text=False)
