"""DataFrame → Table: units, formats and meanings of its columns as declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trex.core.provenance import STATEMENT
from trex.plan.columns import COLUMN_BY_NAME
from trex.views.table import Table, TableColumn

if TYPE_CHECKING:
    import pandas as pd

_KINDS_OF_UNITS = {"ms": "ms", "%": "pct", "bytes": "bytes"}
_NAMES = {"Name": 13, "layer.module": 0, "tactic": 48}
"""Columns of names that may be shortened, and the width that each keeps; 0 for the usual one."""


def frame_table(frame: pd.DataFrame, title: str | None = None, key: str = "") -> Table:
    """The frame's rows as a table. Predicted layers say so in the title, unless one is given."""
    if title is None:
        title = frame.attrs.get(STATEMENT)
    columns = tuple(_column(str(name), frame.iloc[:, index]) for index, name in enumerate(frame.columns))
    values = [_values(frame.iloc[:, index]) for index in range(len(columns))]
    return Table(title or "", columns, tuple(zip(*values, strict=True)), key)


def declared_column(name: str, is_number: bool) -> TableColumn:
    """A column of ``plan.df``: its unit and meaning as declared."""
    declared = COLUMN_BY_NAME.get(name)
    return frame_column(name, declared.unit if declared else "", declared.meaning if declared else "", is_number)


def frame_column(name: str, unit: str, meaning: str, is_number: bool) -> TableColumn:
    """A column that programs know by its name in a frame."""
    unit = unit if is_number else ""
    kind = _KINDS_OF_UNITS.get(unit, "number") if is_number else "name" if name in _NAMES else "text"
    # A byte count has its own unit in each cell.
    shown = "" if kind == "bytes" else unit
    return TableColumn(name, kind, shown, readable=_NAMES.get(name, 0), meaning=meaning, identifier=name)


def _column(name: str, column: pd.Series) -> TableColumn:
    return declared_column(name, column.dtype.kind in "if")


def _values(column: pd.Series) -> list[Any]:
    """Plain Python values: numbers stay numbers, records stay nested, missing is None."""
    values: list[Any] = column.tolist()
    if column.dtype.kind in "ib":
        return values
    return [None if isinstance(value, float) and value != value else value for value in values]
