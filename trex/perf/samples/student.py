"""Student's distribution: its quantiles, for few samples."""

from __future__ import annotations

import math
from statistics import NormalDist


def t_quantile(share: float, freedom: float) -> float:
    """Quantile of Student's distribution by its expansion about the normal one (Abramowitz and Stegun 26.7.5), within
    one percent from two degrees of freedom; exact for one (Cauchy's distribution) and two.
    """
    if freedom == 1.0:
        return math.tan(math.pi * (share - 0.5))
    if freedom == 2.0:
        return (2.0 * share - 1.0) * math.sqrt(0.5 / (share * (1.0 - share)))
    z = NormalDist().inv_cdf(share)
    terms = (
        (z**3 + z) / 4.0,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96.0,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384.0,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160.0,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))
