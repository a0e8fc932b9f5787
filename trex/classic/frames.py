"""Frames to read, in TREx's spelling and with its columns."""

from __future__ import annotations

import pandas as pd

from trex.classic.spelling import classic_format
from trex.plan.attributes import ATTRIBUTES
from trex.plan.frames import BOOKKEEPING, BOOKKEEPING_PREFIXES, cleaned, reordered, with_readable_tensors, without


def with_classic_tensors(df: pd.DataFrame) -> pd.DataFrame:
    """A copy with Inputs and Outputs as texts of type and layout: ``Int8 NC/32HW32, FP16 NCHW``."""
    return with_readable_tensors(df, classic_format)


def classic_cleaned(df: pd.DataFrame) -> pd.DataFrame:
    """``cleaned`` in TREx's spelling."""
    return cleaned(with_classic_tensors(df))


def classic_for_display(df: pd.DataFrame) -> pd.DataFrame:
    """A copy to read: the main columns first, without subtype, TacticValue, precision and total_io_size_bytes.

    Columns of the layers' records stay unless an ``attr.*`` column of the frame has the same; columns about how a row
    was read (``layer.*``, ``precision.*``) go.
    """
    shown = {key for table in ATTRIBUTES.values() for key, name in table.items() if name in df.columns}
    read = {name for name in df.columns if isinstance(name, str) and name.startswith(BOOKKEEPING_PREFIXES)}
    return without(reordered(with_classic_tensors(df)), {*BOOKKEEPING, *shown, *read})
