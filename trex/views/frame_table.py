"""DataFrame → Table: units and number formats taken from what the columns are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trex.core.provenance import COLUMN, Provenance
from trex.plan.columns import COLUMN_BY_NAME
from trex.views.table import Table, TableColumn

if TYPE_CHECKING:
    import pandas as pd

_KINDS_OF_UNITS = {"ms": "ms", "%": "pct", "bytes": "bytes"}


def frame_table(frame: pd.DataFrame, title: str = "") -> Table:
    """The frame's rows as a table; nested cells become short JSON text. Predicted layers say so in the title."""
    if not title and frame.attrs.get(COLUMN) == Provenance.SIMULATED.label:
        title = Provenance.SIMULATED.statement
    columns = tuple(_column(str(name), frame.iloc[:, place]) for place, name in enumerate(frame.columns))
    values = [_values(frame.iloc[:, place]) for place in range(len(columns))]
    return Table(title, columns, tuple(zip(*values, strict=True)))


def _column(name: str, column: pd.Series) -> TableColumn:
    if column.dtype.kind not in "if":
        return TableColumn(name)
    declared = COLUMN_BY_NAME.get(name)
    unit = declared.unit if declared else ""
    # A byte count is written with its own unit in each cell.
    return TableColumn(name, _KINDS_OF_UNITS.get(unit, "number"), unit if unit in ("ms", "%") else "")


def _values(column: pd.Series) -> list[Any]:
    """Plain Python values: numbers stay numbers, missing is None, records become JSON text."""
    if column.dtype.kind in "ifb":
        return column.tolist()
    return [_value(value) for value in column.tolist()]


def _value(value: Any) -> Any:
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return None if isinstance(value, float) and value != value else value
