"""The formula: a layer's demand and the constants → its milliseconds as TensorRT's profiler would tell them.

    time  = launch + start + (busy^P + moved^P)^(1/P)
    busy  = max(compute / compute share, steps · wait)
    moved = (bytes from memory / bandwidth + bytes from the L2 / (its bandwidth · L2 share)) / memory share

launch: what the shortest kernel takes with the events around it. start: what products take more, filling their
pipelines first. busy: the products at the share of the published rate that such kernels reach, and no sooner than each
step over K has waited for its operands. moved: the bytes at the share of the bandwidth that such kernels reach. P is
between 1 (computing and moving one after the other) and infinity (the longer of the two, the roofline); real kernels
are in between, and real engines tell 1.25 and 2 hardly apart.

Written with sums and absolute values, so that it holds for numbers and for columns of numbers.
"""

from __future__ import annotations

from typing import Any

POWER = 1.5


def layer_ms(launch: Any, start: Any, computed: Any, waited: Any, moved: Any) -> Any:
    """Milliseconds; every argument in milliseconds, efficiencies included, each a number or a column of them."""
    busy = (computed + waited + abs(computed - waited)) / 2
    return launch + start + (busy**POWER + moved**POWER) ** (1 / POWER)
