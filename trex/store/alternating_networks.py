"""Runs of one configuration → a Note if they seem to be of several networks, which one name confuses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from trex.core.note import Note
from trex.core.significant import significant

if TYPE_CHECKING:
    import pandas as pd

_APART = 1.3
"""Builds of one network by one configuration have a few layers and some padding of weights more or less."""
_RETURNS = 3
"""A change that is taken back is two."""
_HINT = "add the runs of each network under a name of its own: trex store add ENGINE --model NAME"
_WORDS = {"weights_bytes": "bytes of weights", "layers": "layers"}


def alternating_networks(runs: pd.DataFrame, name: str) -> Iterator[Note]:
    """runs: rows of the table ``runs``, in order. name: of the configuration. At most one Note."""
    for column, words in _WORDS.items():
        sizes = runs[column].to_numpy(dtype=np.float64, na_value=np.nan)
        sizes = sizes[sizes > 0.0]
        distinct = np.unique(sizes)
        kinds = np.concatenate([[0], np.cumsum(distinct[1:] > _APART * distinct[:-1])])
        sequence = kinds[np.searchsorted(distinct, sizes)] if len(sizes) else sizes
        if sum(one != other for one, other in pairwise(sequence)) >= _RETURNS:
            known = ", ".join(f"{significant(np.median(sizes[sequence == kind]), 3)}" for kind in np.unique(sequence))
            message = f"{name}: runs of {known} {words} alternate: these are several networks, and no change is judged"
            yield Note("several-networks", message, _HINT)
            return
