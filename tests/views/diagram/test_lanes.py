"""The skyline against its plain definition."""

from __future__ import annotations

import random

from trex.views.diagram.lanes import Skyline


def test_skyline_is_the_maximum_over_rows():
    source = random.Random(1)
    plain = [source.uniform(0, 10) for _ in range(2000)]
    skyline = Skyline(plain)
    for _ in range(400):
        first = source.randrange(len(plain))
        last = source.randrange(first, len(plain))
        highest = skyline.highest(first, last)
        assert highest == max(plain[first : last + 1])
        skyline.raise_to(first, last, highest + 1)
        plain[first : last + 1] = [highest + 1] * (last - first + 1)
