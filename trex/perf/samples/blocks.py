"""Samples → medians of consecutive blocks: the course of a run without its spikes."""

from __future__ import annotations

import numpy as np

from trex.perf.samples.usable import Floats


def block_medians(values: Floats, length: int) -> Floats:
    """Medians of blocks of ``length`` samples; a shorter rest at the end is left out."""
    count = len(values) // length
    whole = values[: count * length]
    return whole if length == 1 else np.median(whole.reshape(count, length), axis=1)
