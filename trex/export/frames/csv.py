"""CSV: one row per layer, lists as JSON text, safe to open in a spreadsheet.

Cells and headers that a spreadsheet would run as a formula (they begin with ``=``, ``+``, ``-`` or ``@``, and are no
number) get an apostrophe in front. Control characters are written as escapes (``\\x1e``); the JSON format keeps them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trex.core.printable import printable
from trex.export.frame import FrameFormat, flat_frame, text_cell

if TYPE_CHECKING:
    import pandas as pd

# The full-width forms count too: spreadsheets set to an East Asian language take them for the plain ones.
_FORMULA_STARTS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def render(frame: pd.DataFrame) -> bytes:
    flat = flat_frame(frame, safe_cell)
    return flat.to_csv(index=False, header=[safe_cell(name) for name in flat.columns]).encode("utf-8")


def safe_cell(value: Any) -> Any:
    """The cell's text, an apostrophe in front where a spreadsheet would take it for a formula."""
    text = text_cell(value)
    if not isinstance(text, str):
        return text
    text = printable(text)
    is_formula = text.lstrip().startswith(_FORMULA_STARTS) and _NUMBER.fullmatch(text) is None
    return f"'{text}" if is_formula else text


FORMAT = FrameFormat(".csv", render)
