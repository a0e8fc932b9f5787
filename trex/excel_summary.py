"""ExcelSummary: an engine as a workbook of tables and native charts.

Differs from NVIDIA's TREx: charts are the spreadsheet's own and need no browser; the default summary holds every part
of the report card; text from an engine is never taken as a formula.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from trex import _reexported
from trex.classic.workbook import plain_table
from trex.core.errors import TrexError
from trex.core.whole_file import write_whole
from trex.engine_plan import EnginePlan
from trex.export.documents.xlsx import browse_sheet, fill
from trex.export.figures.look import FAMILIAR
from trex.export.workbook.sheets import MAX_NAME_CHARS, Sheets
from trex.views.report.document import report_document

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MAX_PERMISSIBLE_NAME_LENGTH", "ExcelSummary"]

MAX_PERMISSIBLE_NAME_LENGTH = MAX_NAME_CHARS


class ExcelSummary:
    """A workbook about one plan, written to ``path`` by ``save`` or at the end of a ``with`` block.

    In a block everything can be added until it ends, and nothing is written when that is by an error. Raises TrexError
    when xlsxwriter is absent (extra ``report``), when the folder does not exist, and for what is added after saving.
    """

    def __init__(self, plan: EnginePlan, path: str | os.PathLike[str] = "engine_summary.xlsx") -> None:
        self.plan = plan
        self.path = Path(path)
        self._sheets: Sheets | None = Sheets()
        self._is_in_block = False

    def __enter__(self) -> ExcelSummary:
        self._is_in_block = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._is_in_block = False
        if error is None and self._sheets is not None:
            self.save()

    def add_dataframes(self, dataframes: Mapping[str, pd.DataFrame]) -> None:
        """One sheet per table with all its columns; names of sheets that Excel refuses are changed."""
        for name, frame in dataframes.items():
            browse_sheet(self._open(), name, plain_table(frame))

    def add_images(self, images: Mapping[str, str | os.PathLike[str]]) -> None:
        """One sheet per picture file (PNG, JPEG, GIF, BMP); of a file that is missing, a warning and its path."""
        for name, path in images.items():
            sheets = self._open()
            if Path(path).exists():
                sheets.picture(name, Path(path))
            else:
                warnings.warn(f"no such picture: {path}", stacklevel=2)
                sheets.text(sheets.sheet(name), 0, 0, f"no such picture: {path}")

    def generate_default_summary(self, save: bool = True) -> None:
        """Every part of the report card; written at once unless ``save`` is False or a ``with`` block is open."""
        fill(self._open(), report_document(self.plan).seen_from(), FAMILIAR)
        if save and not self._is_in_block:
            self.save()

    def save(self) -> Path:
        """Writes the workbook, whole or not at all, and returns its path; nothing can be added afterwards."""
        sheets = self._open()
        if not sheets.book.worksheets():
            sheets.sheet("empty")
        content = sheets.content()
        self._sheets = None
        return write_whole(self.path, content)

    def _open(self) -> Sheets:
        if self._sheets is None:
            hint = "add everything before it is saved: generate_default_summary(save=False), or a with block"
            raise TrexError("the workbook is written already", hint, str(self.path))
        return self._sheets


__getattr__ = _reexported(__name__)
