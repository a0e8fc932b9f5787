"""Workbook: sheets with tables, sentences and pictures; every text stays text, whatever it looks like."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError, missing_extra
from trex.core.printable import printable
from trex.views.table import Table, TableColumn

MAX_NAME_CHARS = 31
"""Excel's limit for the name of a sheet."""
_A4 = 9
_LONGEST_CELL = 32_767
_LONGEST_COLUMN = 60
_LINE, _LINE_COLUMNS = 110, 9
"""Letters of a line of text over the columns of a section's sheet."""
_NARROW, _WIDE, _SAMPLE = 12, 44, 200
_ROW_POINTS, _LEAST_DECIMAL = 15, 0.001
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
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
        found = self.book.add_worksheet(self.free_name(name))
        found.hide_gridlines(2)
        found.set_landscape()
        found.set_paper(_A4)
        found.fit_to_pages(1, 0)
        return found

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
        """Writes the table with its title; returns the row below. filters: buttons to sort and filter by."""
        if table.title:
            self.text(sheet, row, column, table.title, self.heading)
            row += 1
        for at, each in enumerate(table.columns):
            self.text(sheet, row, column + at, _heading(each), self.head)
            texts = [len(str(values[at])) for values in table.rows[:_SAMPLE] if each.kind == "text" and values[at]]
            self.widen(sheet, column + at, min(_WIDE, max(texts, default=0) + 2))
        if any(len(_heading(each)) > _NARROW for each in table.columns) and table.title:
            sheet.set_row(row, 2 * _ROW_POINTS)
        for below, values in enumerate(table.rows, row + 1):
            for at, (each, value) in enumerate(zip(table.columns, values, strict=True)):
                self.cell(sheet, below, column + at, value, self._style(each, value))
        if filters and table.rows:
            sheet.autofilter(row, column, row + len(table.rows), column + len(table.columns) - 1)
        return row + len(table.rows) + 2

    def widen(self, sheet: Any, column: int, width: int) -> None:
        """A column of at least so many letters, and never narrower than another table of the sheet asked for."""
        key = sheet.get_name(), column
        self._widths[key] = max(self._widths.get(key, _NARROW), width)
        sheet.set_column(column, column, self._widths[key])

    def _style(self, column: TableColumn, value: Any) -> Any:
        """Of a number without a kind, as many decimals as people compare by; the cell keeps all of it."""
        has_kind = column.kind in self.kinds and column.kind != "number"
        if not has_kind and isinstance(value, float) and math.isfinite(value) and not value.is_integer():
            return self.decimals if abs(value) >= _LEAST_DECIMAL else self.powers
        return self.kinds.get(column.kind)

    def widths(self, sheet: Any, column: int, table: Table) -> None:
        """Columns as wide as their texts need, within reason."""
        for at, each in enumerate(table.columns):
            sample = [len(str(row[at])) for row in table.rows[:_SAMPLE]] if each.kind == "text" else [10]
            sheet.set_column(column + at, column + at, min(_LONGEST_COLUMN, max([len(_heading(each)), *sample]) + 2))

    def cell(self, sheet: Any, row: int, column: int, value: Any, style: Any = None) -> None:
        """A number as a number, unknown as an empty cell, anything else as text."""
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.text(sheet, row, column, str(value))
        elif abs(value) < 1e15:
            sheet.write_number(row, column, value, style)
        else:  # Excel keeps fifteen digits
            self.text(sheet, row, column, str(value))

    def text(self, sheet: Any, row: int, column: int, words: str, style: Any = None) -> None:
        sheet.write_string(row, column, printable(words)[:_LONGEST_CELL], style)

    def sentences(self, sheet: Any, row: int, words: Iterable[str]) -> int:
        """One sentence a row, a long one over several columns and lines; returns the row below."""
        for each in words:
            if len(each) > _LINE:
                sheet.merge_range(row, 0, row, _LINE_COLUMNS - 1, "", self.wrapped)
            self.line(sheet, row, 0, each)
            row += 1
        return row

    def line(self, sheet: Any, row: int, column: int, words: str) -> None:
        """A text that may take several lines; the row is made as high as it needs."""
        lines = -(-len(words) // _LINE)
        self.text(sheet, row, column, words, self.wrapped if lines > 1 else None)
        if lines > 1:
            sheet.set_row(row, lines * _ROW_POINTS)

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


def _heading(column: TableColumn) -> str:
    return f"{column.name} (bytes)" if column.kind == "bytes" and not column.unit else column.heading
