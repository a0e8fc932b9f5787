"""Logarithm of a ratio → the ratio, finite and above zero whatever the times in a file are."""

from __future__ import annotations

import math

_MOST = 700.0
"""No ratio of real times is beyond e^700, or 10³⁰⁴."""


def bounded_exp(logarithm: float) -> float:
    """
    >>> bounded_exp(0.0), bounded_exp(1418.0) == math.exp(700.0), bounded_exp(float("-inf")) > 0.0
    (1.0, True, True)
    """
    return math.exp(_bounded(logarithm))


def bounded_expm1(logarithm: float) -> float:
    """The ratio minus one.

    >>> bounded_expm1(1e-20), bounded_expm1(1418.0) == math.expm1(700.0)
    (1e-20, True)
    """
    return math.expm1(_bounded(logarithm))


def _bounded(logarithm: float) -> float:
    return max(-_MOST, min(_MOST, float(logarithm)))
