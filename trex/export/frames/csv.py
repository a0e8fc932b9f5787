"""CSV: one row per layer, lists as JSON text, safe to open in a spreadsheet.

Cells that a spreadsheet would run as a formula (they begin with ``=``, ``+``, ``-`` or ``@`` and are no number) get an
apostrophe in front.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trex.export.frame import FrameFormat, flat_frame, text_cell

if TYPE_CHECKING:
    import pandas as pd

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def render(frame: pd.DataFrame) -> bytes:
    return flat_frame(frame, safe_cell).to_csv(index=False).encode("utf-8", "replace")


def safe_cell(value: Any) -> Any:
    """The cell's text, an apostrophe in front where a spreadsheet would take it for a formula."""
    text = text_cell(value)
    return f"'{text}" if isinstance(text, str) and text.startswith(_FORMULA_STARTS) else text


FORMAT = FrameFormat(".csv", render)
