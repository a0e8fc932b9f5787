"""Sheets of a workbook: columns fit their tables, long sentences wrap, numbers are rounded for the eye alone."""

from __future__ import annotations

import io
from math import inf
from typing import Any

import pytest

from trex.core.errors import TrexError
from trex.export.workbook.sheets import MOST_COLUMNS, MOST_ROWS, Sheets
from trex.views.table import Table, TableColumn

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is absent: pip install openpyxl")
pytest.importorskip("xlsxwriter", reason="xlsxwriter is absent: pip install xlsxwriter")


def read(sheets: Sheets) -> Any:
    return openpyxl.load_workbook(io.BytesIO(sheets.content()))


def test_a_column_is_as_wide_as_the_widest_of_its_tables():
    sheets = Sheets()
    sheet = sheets.sheet("one")
    heads = TableColumn("name"), TableColumn("time", "ms", "ms")
    row = sheets.table(sheet, 0, 0, Table("t", heads, (("x" * 30, 1.0),)))
    sheets.table(sheet, row, 0, Table("u", heads, (("short", 2.0),)))
    other = sheets.sheet("two")
    sheets.table(other, 0, 0, Table("t", heads, (("x" * 500, 1.0),)))
    book = read(sheets)
    widths = [book[name].column_dimensions["A"].width for name in ("one", "two")]
    assert 30 < widths[0] < 40 and 40 < widths[1] < 60


def test_numbers_without_a_kind_show_few_decimals_and_keep_all():
    sheets = Sheets()
    sheet = sheets.sheet("one")
    table = Table("", (TableColumn("speed-up", "number"),), ((0.976902629,), (5.0,), (1.25e-7,), (None,), (inf,)))
    sheets.table(sheet, 0, 0, table)
    one = read(sheets)["one"]
    cells = [one.cell(row, 1) for row in range(2, 7)]
    assert [cell.value for cell in cells] == [0.976902629, 5, 1.25e-7, None, None]
    assert [cell.number_format for cell in cells[:3]] == ["#,##0.000", "General", "0.00E+00"]


def test_long_sentences_take_as_many_lines_as_they_need_and_sheets_print_one_page_wide():
    sheets = Sheets()
    sheet = sheets.sheet("one")
    assert sheets.sentences(sheet, 0, ["short", "long " * 60, "short again"]) == 3
    one = read(sheets)["one"]
    assert [one.cell(row, 1).value for row in (1, 3)] == ["short", "short again"]
    assert one.row_dimensions[2].height == 45.0 and [str(each) for each in one.merged_cells.ranges] == ["A2:I2"]
    assert one.page_setup.orientation == "landscape" and one.sheet_properties.pageSetUpPr.fitToPage
    assert not one.page_setup.fitToHeight


def test_what_does_not_fit_into_a_sheet_is_an_error():
    sheets = Sheets()
    sheet = sheets.sheet("one")
    wide = Table("", tuple(TableColumn(f"c{number}") for number in range(MOST_COLUMNS + 1)), ())
    for row, table in ((0, wide), (MOST_ROWS - 3, Table("t", (TableColumn("c"),), (("x",), ("y",))))):
        with pytest.raises(TrexError, match="do not fit into a sheet"):
            sheets.table(sheet, row, 0, table)
