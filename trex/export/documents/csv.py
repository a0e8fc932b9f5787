"""CSV: one table of the document, safe to open in a spreadsheet; lists are JSON text.

``--fields KEY`` chooses the table where there are several; without it the table of layers or findings is written. Cells
and headings that a spreadsheet would evaluate as a formula (they begin with ``=``, ``+``, ``-`` or ``@`` and are not
numbers) get an apostrophe in front; so does what follows a semicolon, which ends a cell in much of Europe. Control
characters are written as escapes (``\\x1e``); JSON keeps them.
"""

from __future__ import annotations

import re
from typing import Any

from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.document_table import document_frame
from trex.export.frame import text_cell
from trex.views.document import Document

# The full-width forms count too: spreadsheets set to an East Asian language take them for the plain ones.
_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_FORMULA = re.compile(rf'(^|;)(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])(?!{_NUMBER}(?:;|$))')


def render(document: Document, style: RenderStyle) -> str:
    """Raises TrexError that lists the keys of the tables when it is not clear which one to write."""
    frame = document_frame(document, style.fields, safe_cell)
    text: str = frame.to_csv(index=False, header=[safe_cell(name) for name in frame.columns], lineterminator="\n")
    return text


def safe_cell(value: Any) -> Any:
    """The cell's text, an apostrophe where a spreadsheet would take the rest for a formula."""
    text = text_cell(value)
    if not isinstance(text, str):
        return text
    return _FORMULA.sub(r"\1'", printable(text))


FORMAT = DocumentFormat((".csv",), render)
