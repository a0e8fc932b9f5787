"""Preparing frames for reading and charts, under TREx's names.

As in TREx, ``fix_df``, ``clean_io``, ``drop_columns``, ``annotate_convolutions`` and ``clean_df`` change the frame that
they are given and return it; the others return a new one. Differs from NVIDIA's TREx: what is unknown stays NaN instead
of becoming 0; convolutions may have any number of spatial dimensions and groups.
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from trex import _reexported
from trex.classic.frames import classic_cleaned, classic_for_display, with_classic_tensors
from trex.classic.in_place import take_over
from trex.plan.attributes import ATTRIBUTES, frame_by_type, with_costs
from trex.plan.frames import from_raw_frame, reordered, without

__all__ = [
    "annotate_convolutions",
    "change_col_order",
    "clean_df",
    "clean_for_display",
    "clean_io",
    "drop_columns",
    "filter_by_layer",
    "fix_df",
    "layer_attributes",
]

layer_attributes: dict[str, dict[str, str]] = {
    **{kind: dict(names) for kind, names in ATTRIBUTES.items()},
    "Common": {"LayerType": "subtype", "ParameterType": "type", "TacticName": "tactic"},
}
"""Layer type → {key of the layer's record: column}."""


def fix_df(df: pd.DataFrame) -> pd.DataFrame:
    """Gives a frame of raw layer records TREx's columns; a frame that has them stays as it is. Returns ``df``."""
    return take_over(df, from_raw_frame(df))


def clean_io(df: pd.DataFrame) -> pd.DataFrame:
    """Makes Inputs and Outputs texts of type and format: ``Int8 NC/32HW32, FP16 NHWC8``. Returns ``df``."""
    return take_over(df, with_classic_tensors(df))


def filter_by_layer(df: pd.DataFrame, layer_type: str) -> pd.DataFrame:
    """A copy of the rows of one type (or subtype), with its ``attr.*`` columns; empty when there is none."""
    return frame_by_type(df, layer_type)


def change_col_order(df: pd.DataFrame) -> pd.DataFrame:
    """The columns Name, type, Inputs, Outputs, latency, footprint and tactic in front."""
    return reordered(df)


def drop_columns(df: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Removes these columns; those that the frame lacks do not matter. Returns ``df``."""
    return take_over(df, without(df, columns))


def clean_df(df: pd.DataFrame, inplace: bool = True) -> pd.DataFrame:
    """Readable Inputs and Outputs, and no columns that ``attr.*`` columns show better.

    inplace: change ``df`` itself and return it; else it stays as it is and a new frame is returned.
    """
    clean = classic_cleaned(df)
    return take_over(df, clean) if inplace else clean


def clean_for_display(df: pd.DataFrame) -> pd.DataFrame:
    """A copy to read: the main columns first, without subtype, TacticValue, precision and total_io_size_bytes.

    Columns of the layers' records stay, unless an ``attr.*`` column has the same.
    """
    return classic_for_display(df)


def annotate_convolutions(convs: pd.DataFrame) -> pd.DataFrame:
    """A copy with what each convolution costs.

    ``attr.macs, attr.M, attr.N, attr.K`` (MACs and the GEMM), ``attr.arithmetic_intensity``
    (macs / byte), ``attr.compute_efficiency`` (macs / ms) and ``attr.memory_efficiency`` (bytes / ms).
    Formulas: ``trex.plan.gemm`` and ``trex.plan.attributes.cost_columns``. NaN where something is unknown.
    """
    return take_over(convs, with_costs(convs))


__getattr__ = _reexported(__name__)
