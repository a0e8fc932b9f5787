"""DataFrame → the part asked for: rows by expression or by time, columns by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trex.core.errors import TrexError

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_COLUMNS = (
    "Name",
    "type",
    "precision",
    "latency.avg_time",
    "latency.pct_time",
    "total_footprint_bytes",
    "tactic",
)


def select_layers(
    frame: pd.DataFrame, query: str = "", top: int = 0, columns: Sequence[str] = (), all_columns: bool = False
) -> pd.DataFrame:
    """Rows for which ``query`` holds, the ``top`` slowest of them, and the named (or default, or all) columns.

    Raises TrexError for an expression that cannot be evaluated and for names that no column has.
    """
    if query:
        frame = _queried(frame, query)
    if top > 0:
        frame = frame.nlargest(top, "latency.avg_time")
    if all_columns and not columns:
        return frame
    if columns:
        unknown = [name for name in columns if name not in frame.columns]
        if unknown:
            near = difflib.get_close_matches(unknown[0], list(map(str, frame.columns)), 4)
            hint = f"did you mean {', '.join(near)}?" if near else "trex layers PATH --all-columns shows them all"
            raise TrexError(f"there is no column {unknown[0]!r}", hint)
        return frame[list(columns)]
    attributes = [name for name in frame.columns if str(name).startswith("attr.")]
    return frame[[name for name in DEFAULT_COLUMNS if name in frame.columns] + attributes]


def _queried(frame: pd.DataFrame, query: str) -> pd.DataFrame:
    dotted = sorted((str(name) for name in frame.columns if "." in str(name)), key=len, reverse=True)
    quoted = query
    if dotted and "`" not in query:
        pattern = "|".join(map(re.escape, dotted))
        # Text in quotes is left alone: a layer may be called like a column.
        pieces = re.split(r"('[^']*'|\"[^\"]*\")", query)
        quoted = "".join(
            piece if index % 2 else re.sub(rf"(?<![\w.])(?:{pattern})(?![\w.])", r"`\g<0>`", piece)
            for index, piece in enumerate(pieces)
        )
    try:
        return frame.query(quoted, engine="python")
    except Exception as error:  # pandas evaluates the user's own words: whatever it raises is about them
        raise TrexError(
            f"the query cannot be evaluated: {type(error).__name__}: {error}",
            "for example: --query \"type == 'Convolution' and latency.pct_time > 5\"",
            excerpt=query,
        ) from error
