"""Markdown: a table for issues and pull requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trex.core.printable import printable
from trex.export.frame import FrameFormat, flat_frame, text_cell

if TYPE_CHECKING:
    import pandas as pd

_ESCAPES = str.maketrans(
    {**{mark: f"\\{mark}" for mark in "\\|`*_~[]"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"},
)


def render(frame: pd.DataFrame) -> bytes:
    flat = flat_frame(frame)
    lines = ["| " + " | ".join(_cell(name) for name in flat.columns) + " |"]
    lines.append("|" + " --- |" * len(flat.columns))
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in flat.itertuples(index=False, name=None)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _cell(value: Any) -> str:
    value = text_cell(value)
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return printable(text).translate(_ESCAPES)


FORMAT = FrameFormat(".md", render)
