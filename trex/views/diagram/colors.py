"""Tensor → color of its wire, from the palette; the other colors of a diagram."""

from __future__ import annotations

from functools import lru_cache

from trex.core.tensor import Tensor
from trex.views.palette import PRECISION_COLORS, UNKNOWN_COLOR, luminance

MEMORY_COLOR = "#eef1f4"
DANGLING_COLOR = "#fbf3e0"
STUB_COLOR = "#f6f6f2"
TIME_COLOR = "#2f3e4e"
HOT_COLOR = "#ff7a1a"
FRAME_COLOR = "#9aa7b8"
# Lines thinner than a box need more contrast with white paper: WCAG's 3:1 is at a luminance of 0.3.
_LIGHTEST_WIRE = 0.45


def wire_color(tensor: Tensor) -> str:
    """The color of the tensor's precision, darkened as far as a thin line on white needs."""
    return _darkened(PRECISION_COLORS[tensor.precision])


@lru_cache(maxsize=256)
def _darkened(color: str) -> str:
    if color == UNKNOWN_COLOR:
        return color
    for _ in range(20):
        if luminance(color) <= _LIGHTEST_WIRE:
            break
        channels = (int(color[i : i + 2], 16) * 15 // 16 for i in (1, 3, 5))
        color = "#" + "".join(f"{channel:02x}" for channel in channels)
    return color
