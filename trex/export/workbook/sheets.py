"""Workbook: sheets with tables, sentences and pictures; text is never taken as a formula."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError, missing_extra
from trex.core.printable import printable
from trex.views.table import Table, TableColumn

MAX_NAME_CHARS = 31
"""Excel's limit for the name of a sheet."""
_A4 = 9
_CREATED = datetime(1980, 1, 1)
"""As of the files in the archive: one engine gives one workbook, byte for byte."""
_LONGEST_CELL = 32_767
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""Of a sheet. XlsxWriter leaves what is beyond them out."""
_LONGEST_COLUMN = 60
_LINE, _LINE_COLUMNS = 110, 9
"""Letters of a line of text over the columns of a section's sheet."""
_NARROW, _WIDE, _SAMPLE = 12, 44, 200
_ROW_POINTS, _LEAST_DECIMAL = 15, 0.001
_EXACT = 1e15
"""Excel keeps fifteen digits; a longer number is written as text."""
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
_DATA_BAR = {
    "type": "data_bar", "bar_only": True, "bar_solid": True, "data_bar_2010": True, "bar_color": "#c2410c",
    "bar_negative_color": "#0b61a4",
}  # fmt: skip
_FORMATS = {"ms": "0.0000", "pct": "0.00", "bytes": "#,##0", "count": "#,##0", "number": "General"}


class Sheets:
    """One workbook in memory; ``content`` ends it. Raises TrexError naming the extra when xlsxwriter is absent."""

    def __init__(self) -> None:
        try:
            import xlsxwriter
        except ImportError as error:
            raise missing_extra("xlsxwriter", "report", "writing a workbook") from error
        self._buffer = io.BytesIO()
        options = {
            "in_memory": True,
            "nan_inf_to_errors": False,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        }
        self.book: Any = xlsxwriter.Workbook(self._buffer, options)
        self.book.set_properties({"created": _CREATED})
        self._names: set[str] = set()
        self._widths: dict[tuple[str, int], int] = {}
        self.title = self.book.add_format({"bold": True, "font_size": 14})
        self.heading = self.book.add_format({"bold": True})
        self.head = self.book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        self.warning = self.book.add_format({"font_color": "#7a4b00", "bold": True})
        self.wrapped = self.book.add_format({"text_wrap": True, "valign": "top"})
        self.decimals = self.book.add_format({"num_format": "#,##0.000"})
        self.powers = self.book.add_format({"num_format": "0.00E+00"})
        self.kinds = {kind: self.book.add_format({"num_format": code}) for kind, code in _FORMATS.items()}

    def sheet(self, name: str) -> Any:
        """A new sheet, printed one page wide; the name is made one that Excel takes, and unique."""
        sheet = self.book.add_worksheet(self.free_name(name))
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.set_paper(_A4)
        sheet.fit_to_pages(1, 0)
        return sheet

    def free_name(self, name: str) -> str:
        """At most 31 characters, none of ``[]:*?/\\``, no quote at the ends, not taken by another sheet."""
        base = _FORBIDDEN.sub("-", printable(name)).strip("'").strip() or "sheet"
        if base.lower() == "history":  # a name that Excel keeps for itself
            base = "History of engine"
        free, count = base[:MAX_NAME_CHARS], 1
        while free.lower() in self._names:
            count += 1
            ending = f" {count}"
            free = base[: MAX_NAME_CHARS - len(ending)] + ending
        self._names.add(free.lower())
        return free

    def table(self, sheet: Any, row: int, column: int, table: Table, *, filters: bool = False) -> int:
        """Writes the table with its title; returns the row below. filters: buttons to sort and filter by.

        Raises TrexError for one that is longer or wider than a sheet.
        """
        rows, columns = len(table.rows), len(table.columns)
        if row + 2 + rows > MOST_ROWS or column + columns > MOST_COLUMNS:
            message = f"the workbook is not written: {rows:,} rows of {columns:,} columns do not fit into a sheet"
            raise TrexError(message, "write .csv, .parquet or .json; or fewer rows: --limit N")
        if table.title:
            self.text(sheet, row, column, table.title, self.heading)
            row += 1
        for index, head in enumerate(table.columns, column):
            self.text(sheet, row, index, _heading(head), self.head)
            self.widen(sheet, index, min(_WIDE, max(_lengths(table, index - column), default=0) + 2))
            if head.kind == "bar" and table.rows:
                sheet.conditional_format(row + 1, index, row + len(table.rows), index, _DATA_BAR)
        if any(len(_heading(head)) > _NARROW for head in table.columns) and table.title:
            sheet.set_row(row, 2 * _ROW_POINTS)
        for index, head in enumerate(table.columns):
            self._column(sheet, row + 1, column + index, head, [values[index] for values in table.rows])
        if filters and table.rows:
            sheet.autofilter(row, column, row + len(table.rows), column + len(table.columns) - 1)
        row += len(table.rows) + 1
        if table.left_out:
            self.text(sheet, row, column, f"… {table.left_out:,} more{f': {table.more}' if table.more else ''}")
            row += 1
        return row + 1

    def widen(self, sheet: Any, column: int, width: int) -> None:
        """A column of at least so many letters, and never narrower than another table of the sheet asked for."""
        key = sheet.get_name(), column
        self._widths[key] = max(self._widths.get(key, _NARROW), width)
        sheet.set_column(column, column, self._widths[key])

    def _column(self, sheet: Any, row: int, column: int, head: TableColumn, values: list[Any]) -> None:
        """The values one below the other. There may be millions, so what holds for a column is asked once."""
        kind = self.kinds.get(head.kind)
        has_decimals = kind is None or head.kind == "number"
        write_number = sheet.write_number
        for below, value in enumerate(values, row):
            if type(value) is float and -_EXACT < value < _EXACT:
                style = self._decimals(value) if has_decimals and not value.is_integer() else kind
                write_number(below, column, value, style)
            else:
                self.cell(sheet, below, column, _plain(value, head), kind)

    def _decimals(self, value: float) -> Any:
        """Of a number without a kind, as many decimals as people compare by; the cell keeps all of it."""
        return self.decimals if abs(value) >= _LEAST_DECIMAL else self.powers

    def widths(self, sheet: Any, column: int, table: Table) -> None:
        """Columns as wide as their texts need, within reason."""
        for index, head in enumerate(table.columns):
            lengths = [len(_heading(head)), 10, *_lengths(table, index)]
            sheet.set_column(column + index, column + index, min(_LONGEST_COLUMN, max(lengths) + 2))

    def cell(self, sheet: Any, row: int, column: int, value: Any, style: Any = None) -> None:
        """A number as a number, unknown as an empty cell, anything else as text."""
        if value is None or value == "" or (isinstance(value, float) and not math.isfinite(value)):
            return
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.text(sheet, row, column, str(value))
        elif abs(value) < _EXACT:
            sheet.write_number(row, column, value, style)
        else:
            self.text(sheet, row, column, str(value))

    def text(self, sheet: Any, row: int, column: int, words: str, style: Any = None) -> None:
        sheet.write_string(row, column, printable(words)[:_LONGEST_CELL], style)

    def sentences(self, sheet: Any, row: int, words: Iterable[str]) -> int:
        """One sentence a row, a long one over several columns and lines; returns the row below."""
        for sentence in words:
            lines = -(-len(sentence) // _LINE)
            if lines > 1:
                sheet.merge_range(row, 0, row, _LINE_COLUMNS - 1, "", self.wrapped)
                sheet.set_row(row, lines * _ROW_POINTS)
            self.text(sheet, row, 0, sentence, self.wrapped if lines > 1 else None)
            row += 1
        return row

    def picture(self, name: str, path: Path) -> None:
        """A sheet with a picture (PNG, JPEG, GIF, BMP). Raises TrexError for a file that is none of these."""
        if not path.is_file():
            raise TrexError("there is no such picture", "write it first: trex draw -o graph.png", str(path))
        kinds = (".png", ".jpg", ".jpeg", ".gif", ".bmp")
        if path.suffix.lower() not in kinds:
            raise TrexError(
                f"a workbook takes no pictures that end in {path.suffix!r}", f"one of {', '.join(kinds)}", str(path)
            )
        self.sheet(name).insert_image(0, 0, str(path))

    def content(self) -> bytes:
        """The workbook's bytes; nothing can be added afterwards."""
        self.book.close()
        return self._buffer.getvalue()


def _lengths(table: Table, index: int) -> list[int]:
    """How long the first texts of a column are."""
    if table.columns[index].kind not in ("text", "name"):
        return []
    return [len(table.columns[index].cell(row[index])) for row in table.rows[:_SAMPLE] if row[index]]


def _plain(value: Any, column: TableColumn) -> Any:
    """The value; nested ones as the column writes them."""
    return column.cell(value) if isinstance(value, list | tuple | dict) else value


def _heading(column: TableColumn) -> str:
    return f"{column.name} (bytes)" if column.kind == "bytes" and not column.unit else column.heading
