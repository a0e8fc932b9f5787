"""table: aligned columns for reading in a terminal or a text file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.export.frame import FrameFormat
from trex.export.text_table import table_text
from trex.views.frame_table import frame_table

if TYPE_CHECKING:
    import pandas as pd


def render(frame: pd.DataFrame) -> bytes:
    return table_text(frame_table(frame)).encode("utf-8", "replace")


FORMAT = FrameFormat(".txt", render)
