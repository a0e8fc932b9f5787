"""Seconds → text: ``0.44 s``, ``14.7 s``, ``12 min 5 s``, ``10 h 12 min``."""

from __future__ import annotations

import math


def seconds_words(seconds: float) -> str:
    """Three digits below 100 s, whole seconds or minutes above.

    >>> seconds_words(0.4401), seconds_words(725.3), seconds_words(36720)
    ('0.44 s', '12 min 5 s', '10 h 12 min')
    """
    if not math.isfinite(seconds):
        return "an unknown time"
    if seconds < 100:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
