"""A frame takes over the columns of another, as TREx's functions change the frame that they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def take_over(df: pd.DataFrame, result: pd.DataFrame) -> pd.DataFrame:
    """``df`` itself with the columns of ``result``, in their order. Both have the same index."""
    become(df, result)
    df.attrs.update(result.attrs)
    return df


def become(df: pd.DataFrame, result: pd.DataFrame) -> None:
    """Gives ``df`` the rows and columns of ``result``; it keeps its ``attrs``.

    All at once: columns that are inserted one by one are a block each, which makes every later step slower.
    """
    attrs = dict(df.attrs)
    initialize: Any = type(df).__init__
    initialize(df, result)
    df.attrs.update(attrs)
