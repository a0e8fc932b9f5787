"""Values → a line of blocks: ``▁▂▂▇▇``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

_BLOCKS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float], width: int = 16) -> str:
    """One block per value; of more values than ``width``, medians of equal parts. Equal values are low.

    >>> sparkline([1.0, 1.0, 2.0]), sparkline([3.0, 3.0]), sparkline([])
    ('▁▁█', '▁▁', '')
    """
    shown = _condensed(values, width)
    if not shown:
        return ""
    low, high = min(shown), max(shown)
    steps = len(_BLOCKS) - 1
    scale = steps / (high - low) if high > low else 0.0
    return "".join(_BLOCKS[round((value - low) * scale)] for value in shown)


def _condensed(values: Sequence[float], width: int) -> list[float]:
    if len(values) <= width:
        return list(values)
    bounds = [len(values) * index // width for index in range(width + 1)]
    parts = (sorted(values[first:behind]) for first, behind in pairwise(bounds))
    return [part[len(part) // 2] for part in parts]
