"""Parquet: one table of the document with typed columns, for pandas, Polars or DuckDB; needs the ``parquet`` extra.

``--fields KEY`` chooses the table where there are several; without it the table of layers or findings is written.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from trex.core.errors import missing_extra
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.document_table import document_frame
from trex.views.document import Document

if TYPE_CHECKING:
    import pandas as pd


def render(document: Document, style: RenderStyle) -> bytes:
    """Raises TrexError when pyarrow is not installed, and when it is not clear which table to write."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise missing_extra("pyarrow", "parquet", "writing Parquet") from error
    frame = document_frame(document, style.fields)
    for name in frame.columns:
        if frame[name].dtype == object:
            frame[name] = _one_type(frame[name])
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _one_type(column: pd.Series) -> pd.Series:
    """A column that Parquet can type: numbers stay numbers unless a double and a 64-bit integer are both too small."""
    import pandas as pd

    from trex.plan.dataframe import EXACT_IN_DOUBLE

    known = [value for value in column if value is not None]
    kinds = set(map(type, known))
    if kinds <= {int, float} and all(abs(value) <= EXACT_IN_DOUBLE for value in known if type(value) is int):
        return column.astype("float64") if len(kinds) > 1 else column
    if kinds == {int} and min(known) >= -(2**63) and max(known) < 2**63:
        return column
    if len(kinds) == 1 and int not in kinds:
        return column
    return pd.Series([None if value is None else str(value) for value in column], column.index, dtype=object)


FORMAT = DocumentFormat((".parquet",), render, is_text=False)
