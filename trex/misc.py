"""Grouping and stacking of frames, under TREx's names.

Differs from NVIDIA's TREx: rows whose group is unknown are kept; a sum over nothing but unknown values is NaN; groups
may be lists (``attr.kernel``) or several columns; stacked rows come in the same order in every run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from trex import _reexported
from trex.classic.spelling import dimensions_text
from trex.plan.frames import averaged, counted, stacked, summed, totals

__all__ = ["group_count", "group_mean_attr", "group_sum_attr", "shape_to_str", "stack_dataframes", "stack_dicts"]


def group_count(df: pd.DataFrame, grouping_attr: str | Sequence[str]) -> pd.DataFrame:
    """Rows per value of ``grouping_attr``: a frame with the columns ``grouping_attr`` and ``count``."""
    return counted(df, grouping_attr)


def group_sum_attr(
    df: pd.DataFrame, grouping_attr: str | Sequence[str], reduced_attr: str | Sequence[str]
) -> pd.DataFrame:
    """Sum of ``reduced_attr`` per value of ``grouping_attr``: a frame with these two columns."""
    return summed(df, grouping_attr, reduced_attr)


def group_mean_attr(
    df: pd.DataFrame, grouping_attr: str | Sequence[str], reduced_attr: str | Sequence[str]
) -> pd.DataFrame:
    """Mean of ``reduced_attr`` per value of ``grouping_attr``: a frame with these two columns."""
    return averaged(df, grouping_attr, reduced_attr)


def shape_to_str(shape: Sequence[int | None]) -> str:
    """``[1, 3, 224, 224]``; -1 for a dimension that is not known."""
    return dimensions_text(shape)


def stack_dicts(dict_list: Sequence[Mapping[Any, Any]], empty_placeholder: Any = 0) -> dict[Any, list[Any]]:
    """``[{a: 1}, {a: 2, b: 3}]`` → ``{a: [1, 2], b: [0, 3]}``; keys in order of first appearance."""
    return stacked(dict_list, empty_placeholder)


def stack_dataframes(
    df_list: Sequence[pd.DataFrame], names_col: str, values_col: str, empty_placeholder: Any = 0
) -> dict[Any, list[Any]]:
    """Name → its value in each frame. Names are in order of first appearance; one that repeats is added up."""
    return stacked([totals(df, names_col, values_col) for df in df_list], empty_placeholder)


__getattr__ = _reexported(__name__)
