"""A frame takes over the columns of another, as TREx's functions change the frame that they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def take_over(df: pd.DataFrame, result: pd.DataFrame) -> pd.DataFrame:
    """``df`` itself with the columns of ``result``, in their order. Both have the same index."""
    columns = {name: result[name] for name in result.columns}
    kept = [name for name in df.columns if name in columns]
    for name in list(df.columns):
        if name not in columns or kept != list(columns)[: len(kept)]:
            del df[name]
    for name, values in columns.items():
        df[name] = values
    df.attrs.update(result.attrs)
    return df
