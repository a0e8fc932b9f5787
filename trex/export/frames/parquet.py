"""Parquet: typed columns for pandas, Polars or DuckDB; needs the ``parquet`` extra."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from trex.core.errors import missing_extra
from trex.export.frame import FrameFormat, flat_frame

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
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) <= 1 or kinds <= {int, float}:
        return column
    return column.map(lambda value: None if value is None else str(value))


FORMAT = FrameFormat(".parquet", render, is_text=False)
