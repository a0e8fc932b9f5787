"""Excel: a sheet for every part with its tables and native charts, all layers to filter, and the charts' numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trex.export.report import ReportFormat, ReportStyle
from trex.export.workbook.native_chart import DataSheet, heat_table, natives
from trex.export.workbook.sheets import Sheets
from trex.plan.frames import for_display, tensor_text
from trex.views.charting import typed_layers
from trex.views.frame_table import frame_table
from trex.views.plot import Empty, Heatmap, Plot
from trex.views.report.report import LayerTable, Part, Report
from trex.views.table import Table, TableColumn

if TYPE_CHECKING:
    import pandas as pd

_CHART_ROWS, _CHART_PIXELS = 17, 640


def render(report: Report, style: ReportStyle) -> bytes:
    """Raises TrexError naming the extra when xlsxwriter is not installed."""
    sheets = Sheets()
    fill(sheets, report, style)
    return sheets.content()


def fill(sheets: Sheets, report: Report, style: ReportStyle) -> None:
    """Summary, parts, layers, and at the end the sheet with the numbers of the charts."""
    _summary(sheets, report)
    later: list[tuple[Any, int, int, Plot]] = []
    for part in report.parts:
        _part(sheets, part, report, later)
    data = DataSheet(sheets, "Data of charts") if later else None
    for sheet, row, column, plot in later:
        for at, native in enumerate(natives(plot, style.look)):
            title = f"{plot.title}: {native.title}" if native.title else plot.title
            title = f"{title} ({native.note})" if native.note else title
            assert data is not None
            aside = {"x_offset": (column + at) * _CHART_PIXELS}
            sheet.insert_chart(row, 0, data.chart(native, title), aside)


def _summary(sheets: Sheets, report: Report) -> None:
    summary, sheet = report.summary, sheets.sheet("Summary")
    sheets.widen(sheet, 0, 34)
    sheets.text(sheet, 0, 0, summary.title, sheets.title)
    row = 1
    if summary.statement:
        sheets.text(sheet, row, 0, summary.statement, sheets.warning)
        row += 1
    for fact in summary.facts:
        sheets.text(sheet, row, 0, fact.label)
        sheets.text(sheet, row, 1, fact.text)
        row += 1
    row += 1
    for table in summary.tables:
        row = sheets.table(sheet, row, 0, table.for_people())
    if summary.caveats:
        columns = (TableColumn("caveat"), TableColumn("what to do"), TableColumn("severity"), TableColumn("code"))
        rows = tuple((note.message, note.hint, note.severity, note.code) for note in summary.caveats)
        sheets.table(sheet, row, 0, Table("Caveats", columns, rows))


def _part(sheets: Sheets, part: Part, report: Report, later: list[tuple[Any, int, int, Plot]]) -> None:
    """Tables below one another; charts two abreast to the right of nothing, below the tables."""
    shown = [(item, item.make()) for item in part.items]
    if any(isinstance(each, LayerTable) for _, each in shown):
        layers_sheet(sheets, "Layers", _with_tensors(report))
    charts = [(item, each) for item, each in shown if isinstance(each, Plot | Empty)]
    content = part.content
    if not (charts or content.tables or content.statements or content.facts):
        return
    sheet = sheets.sheet(part.title)
    sheets.widen(sheet, 0, 34)
    sheets.text(sheet, 0, 0, part.title, sheets.title)
    row = sheets.sentences(sheet, 1, content.statements)
    for fact in content.facts:
        sheets.text(sheet, row, 0, fact.label)
        sheets.text(sheet, row, 1, fact.text)
        row += 1
    row += 1
    for table in content.tables:
        row = sheets.table(sheet, row, 0, table.for_people())
    at = 0
    for item, each in charts:
        if isinstance(each, Empty):
            row = sheets.sentences(sheet, row, [f"{item.title}: {each.reason}. {each.hint}"])
        elif isinstance(each, Heatmap):
            row = sheets.table(sheet, row, 0, heat_table(each))
    for _, each in charts:
        if isinstance(each, Plot) and natives(each):
            later.append((sheet, row + 1 + at // 2 * _CHART_ROWS, at % 2, each))
            at += 1


def _with_tensors(report: Report) -> pd.DataFrame:
    """The table of layers with types and layouts of tensors as text, which the plan's layers know already."""
    frame = report.subject.frame
    layers = typed_layers(report.subject, frame)
    if not layers or not {"Inputs", "Outputs"} <= set(frame):
        return frame
    inputs = [", ".join(map(tensor_text, layer.inputs)) for layer in layers]
    outputs = [", ".join(map(tensor_text, layer.outputs)) for layer in layers]
    return frame.assign(Inputs=inputs, Outputs=outputs)


def layers_sheet(sheets: Sheets, name: str, frame: pd.DataFrame) -> None:
    """A table of rows with filters, its head and the names kept in sight."""
    readable = for_display(frame) if "Inputs" in frame else frame
    table = frame_table(readable)
    sheet = sheets.sheet(name)
    sheets.table(sheet, 0, 0, table, filters=True)
    sheets.widths(sheet, 0, table)
    sheet.freeze_panes(1, 1)


FORMAT = ReportFormat((".xlsx",), render, is_text=False)
