"""Runs of one configuration → a Note if they seem to be of several networks, which one name confuses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from trex.core.note import Note
from trex.core.significant import significant

if TYPE_CHECKING:
    import pandas as pd

_APART = 1.3
"""Builds of one network by one configuration have a few layers and some padding of weights more or less."""
_FEWEST_RETURNS = 2
"""A change that is taken back returns once."""
_FEWEST_RUNS = 3
_HINT = "add the runs of each network under a name of its own: trex store add ENGINE --model NAME"


def alternating_networks(runs: pd.DataFrame, name: str) -> Iterator[Note]:
    """runs: rows of the table ``runs``, in the order of time or commits. name: of the configuration. At most one Note:
    of the weights, or where none are known, of the layers; of one release, as others fuse other layers.
    """
    column, words = "weights_bytes", "bytes of weights"
    if runs[column].isna().all():
        column, words = "layers", "layers"
    for _, of_release in runs.groupby("tensorrt", dropna=False, sort=False):
        if known := _sizes_in_turn(of_release[column].to_numpy(dtype=np.float64, na_value=np.nan)):
            sizes = ", ".join(str(significant(size, 3)) for size in known)
            message = f"{name}: runs with {sizes} {words} alternate: their times, of several networks, are mixed here"
            yield Note("several-networks", message, _HINT)
            return


def _sizes_in_turn(sizes: np.ndarray) -> list[float]:
    """The medians of the sizes that come back again and again; none if each is followed by others for good."""
    sizes = sizes[sizes > 0.0]
    distinct = np.unique(sizes)
    if len(distinct) < 2:
        return []
    kinds = np.cumsum([0, *(distinct[1:] > _APART * distinct[:-1])])
    own = kinds[np.searchsorted(distinct, sizes)]
    is_frequent = np.bincount(own) >= _FEWEST_RUNS
    own, sizes = own[is_frequent[own]], sizes[is_frequent[own]]
    stretches = [int(kind) for kind, _ in groupby(own)]
    if len(stretches) - len(set(stretches)) < _FEWEST_RETURNS:
        return []
    return [float(np.median(sizes[own == kind])) for kind in np.unique(own)]
