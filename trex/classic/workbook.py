"""DataFrame → Table with the frame's own columns and headers, as TREx's workbooks have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trex.core.provenance import STATEMENT
from trex.views.table import Table, TableColumn

if TYPE_CHECKING:
    import pandas as pd


def plain_table(frame: pd.DataFrame) -> Table:
    """Every column in the frame's order under its own name; lists and dicts as text. A named index comes first."""
    shown = frame.reset_index() if frame.index.name is not None and frame.index.name not in frame else frame
    series = [shown.iloc[:, index] for index in range(shown.shape[1])]
    columns = tuple(
        TableColumn(str(name), "number" if values.dtype.kind in "if" else "text", identifier=str(name))
        for name, values in zip(shown.columns, series, strict=True)
    )
    return Table(
        str(frame.attrs.get(STATEMENT) or ""),
        columns,
        tuple(zip(*(map(_cell, values) for values in series), strict=True)),
    )


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and value != value):
        return None
    return str(value) if isinstance(value, list | tuple | dict) else value
