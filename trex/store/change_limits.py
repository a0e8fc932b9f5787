"""How large the largest deviate of a series without a change is: the chance of a change's deviate."""

from __future__ import annotations

import math
from bisect import bisect_left

_CHANCES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
_DEVIATES = {
    4: (0.677, 1.281, 1.632, 1.930, 2.274, 2.507, 2.726, 2.988, 3.163),
    5: (1.186, 1.615, 1.905, 2.184, 2.507, 2.731, 2.937, 3.197, 3.385),
    6: (1.398, 1.851, 2.102, 2.342, 2.647, 2.869, 3.082, 3.334, 3.517),
    8: (1.705, 2.195, 2.468, 2.700, 2.983, 3.181, 3.363, 3.585, 3.757),
    10: (1.842, 2.321, 2.604, 2.848, 3.126, 3.324, 3.502, 3.733, 3.895),
    12: (2.007, 2.464, 2.734, 2.971, 3.253, 3.445, 3.627, 3.851, 4.016),
    16: (2.124, 2.581, 2.848, 3.083, 3.362, 3.552, 3.729, 3.953, 4.086),
    24: (2.376, 2.807, 3.056, 3.276, 3.538, 3.719, 3.890, 4.118, 4.275),
    32: (2.529, 2.947, 3.194, 3.410, 3.668, 3.848, 4.017, 4.227, 4.371),
    48: (2.716, 3.110, 3.341, 3.545, 3.793, 3.970, 4.135, 4.341, 4.496),
    64: (2.836, 3.222, 3.444, 3.646, 3.887, 4.059, 4.209, 4.397, 4.536),
    96: (2.995, 3.358, 3.575, 3.776, 4.015, 4.178, 4.345, 4.544, 4.712),
    128: (3.111, 3.467, 3.678, 3.871, 4.085, 4.240, 4.395, 4.596, 4.758),
    256: (3.357, 3.681, 3.877, 4.058, 4.268, 4.419, 4.579, 4.763, 4.948),
    512: (3.576, 3.889, 4.084, 4.258, 4.480, 4.622, 4.774, 4.996, 5.155),
    1000: (3.776, 4.072, 4.250, 4.428, 4.650, 4.798, 4.974, 5.158, 5.238),
}
"""{runs: the deviate that is exceeded with each chance}: quantiles of ``largest_deviates`` of normal noise, simulated
400 000 times (8 000 times with 1 000 runs). A test simulates some of them again.
"""
_COUNTS = tuple(_DEVIATES)


def chance_of(deviate: float, count: int) -> float:
    """The chance of such a deviate, or a larger one, in a series of so many runs without a change.

    Interpolated between the rows by the logarithm of the count, within a row by the logarithm of the chance over the
    square of the deviate, which is nearly a line; beyond the last chance it goes on. 1.0 below the first.
    """
    behind = min(max(bisect_left(_COUNTS, count), 1), len(_COUNTS) - 1)
    fewer, more = _COUNTS[behind - 1], _COUNTS[behind]
    share = min(max(math.log(count / fewer) / math.log(more / fewer), 0.0), 1.0)
    row = [(1.0 - share) * low + share * high for low, high in zip(_DEVIATES[fewer], _DEVIATES[more], strict=True)]
    if deviate < row[0]:
        return 1.0
    right = min(max(bisect_left(row, deviate), 1), len(row) - 1)
    low, high = row[right - 1] ** 2, row[right] ** 2
    slope = math.log(_CHANCES[right] / _CHANCES[right - 1]) / (high - low)
    return math.exp(math.log(_CHANCES[right - 1]) + slope * (deviate**2 - low))
