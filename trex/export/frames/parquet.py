"""Parquet: typed columns for pandas, Polars or DuckDB; needs the ``parquet`` extra."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from trex.core.errors import missing_extra
from trex.export.frame import FrameFormat, flat_frame
from trex.plan.dataframe import EXACT_IN_DOUBLE

if TYPE_CHECKING:
    import pandas as pd


def render(frame: pd.DataFrame) -> bytes:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise missing_extra("pyarrow", "parquet", "writing Parquet") from error
    flat = flat_frame(frame)
    for name in flat.columns:
        if flat[name].dtype == object:
            flat[name] = _one_type(flat[name])
    buffer = io.BytesIO()
    flat.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _one_type(column: pd.Series) -> pd.Series:
    """A column that Parquet can type: numbers stay numbers unless a double and a 64-bit integer are both too small."""
    known = [value for value in column if value is not None]
    kinds = set(map(type, known))
    if kinds <= {int, float} and all(abs(value) <= EXACT_IN_DOUBLE for value in known if type(value) is int):
        return column.astype("float64") if len(kinds) > 1 else column
    if kinds == {int} and min(known) >= -(2**63) and max(known) < 2**63:
        return column
    if len(kinds) == 1 and int not in kinds:
        return column
    import pandas as pd

    return pd.Series([None if value is None else str(value) for value in column], column.index, dtype=object)


FORMAT = FrameFormat(".parquet", render, is_text=False)
