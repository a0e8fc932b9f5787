"""Compare the medians of long blocks of two series of times, which autocorrelation cannot distort."""

from __future__ import annotations

import math

import numpy as np

from trex.perf.samples.autocorrelation import autocorrelation_of
from trex.perf.samples.detectable import ALPHA
from trex.perf.samples.series import Floats, block_medians
from trex.perf.samples.student import t_quantile

_TIMES, _FEWEST, _MOST = 10.0, 4, 30


def blocks_differ(first: Floats, second: Floats) -> bool:
    """Welch's t test (1947) of the block medians at 5 %, for series of at least ten samples.

    Blocks are ten integrated autocorrelation times long, so that they hardly depend on each other ("batch means", Law
    and Carson 1979), with four to thirty blocks per series. With few blocks the t distribution requires a larger
    difference, where the bootstrap and the rank test are too confident.
    """
    medians = [long_block_medians(values) for values in (first, second)]
    errors = [float(values.var(ddof=1)) / len(values) for values in medians]
    distance = abs(float(medians[0].mean() - medians[1].mean()))
    if not sum(errors) > 0.0:
        return distance > 0.0
    squares = (error**2 / (len(values) - 1) for error, values in zip(errors, medians, strict=True) if error)
    freedom = sum(errors) ** 2 / sum(squares)
    return distance > t_quantile(1.0 - ALPHA / 2.0, freedom) * math.sqrt(sum(errors))


def long_block_medians(values: Floats) -> Floats:
    """Medians of consecutive blocks; a shorter rest at the end is left out."""
    time = autocorrelation_of(values, float(np.median(values))).median_time or 1.0
    count = int(max(_FEWEST, min(_MOST, len(values) / (_TIMES * time))))
    return block_medians(values, len(values) // count)[:count]
