"""Two series of times → whether the medians of long blocks differ, which neighbors that are alike cannot feign."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from trex.perf.samples.autocorrelation import autocorrelation_of
from trex.perf.samples.detectable import ALPHA
from trex.perf.samples.series import Floats

_TIMES, _FEWEST, _MOST = 10.0, 4, 30


def blocks_differ(first: Floats, second: Floats) -> bool:
    """Welch's t test (1947) of the medians of blocks, at 5 %, of series of ten samples and more.

    Blocks are ten integrated autocorrelation times long, so that they depend on one another little ("batch means", Law
    and Carson 1979), but there are at least four of them and at most thirty. Of few blocks the t distribution asks for
    a clearer difference, where the bootstrap and the rank test trust the little that they have.
    """
    medians = [block_medians(each) for each in (first, second)]
    errors = [float(each.var(ddof=1)) / len(each) for each in medians]
    distance = abs(float(medians[0].mean() - medians[1].mean()))
    if not sum(errors) > 0.0:
        return distance > 0.0
    freedom = sum(errors) ** 2 / sum(
        error**2 / (len(each) - 1) for error, each in zip(errors, medians, strict=True) if error
    )
    return distance > t_quantile(1.0 - ALPHA / 2.0, freedom) * math.sqrt(sum(errors))


def block_medians(values: Floats) -> Floats:
    """Medians of neighboring samples, in their order; what is left at the end belongs to none."""
    time = autocorrelation_of(values, float(np.median(values))).median_time or 1.0
    count = int(max(_FEWEST, min(_MOST, len(values) / (_TIMES * time))))
    length = len(values) // count
    return np.median(values[: count * length].reshape(count, length), axis=1)


def t_quantile(share: float, freedom: float) -> float:
    """Of Student's distribution, by its expansion about the normal one (Abramowitz and Stegun 26.7.5); within half a
    percent from three degrees of freedom on.
    """
    z = NormalDist().inv_cdf(share)
    terms = (
        (z**3 + z) / 4.0,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96.0,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384.0,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160.0,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))
