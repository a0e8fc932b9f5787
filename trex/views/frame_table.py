"""DataFrame → Table: units and number formats taken from what the columns are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trex.views.table import Table, TableColumn

if TYPE_CHECKING:
    import pandas as pd

_KINDS_BY_ENDING = (("_bytes", "bytes"), ("weights_size", "bytes"), ("pct_time", "pct"), ("_pct", "pct"))


def frame_table(frame: pd.DataFrame, title: str = "") -> Table:
    """The frame's rows as a table; nested cells become short JSON text."""
    columns = tuple(TableColumn(str(name), _kind(str(name), frame.iloc[:, i])) for i, name in enumerate(frame.columns))
    rows = tuple(tuple(map(_value, row)) for row in frame.itertuples(index=False, name=None))
    return Table(title, columns, rows)


def _kind(name: str, column: pd.Series) -> str:
    for ending, kind in _KINDS_BY_ENDING:
        if name.endswith(ending):
            return kind
    if name.startswith("latency."):
        return "ms"
    return "number" if column.dtype.kind in "if" else "text"


def _value(value: Any) -> Any:
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value
