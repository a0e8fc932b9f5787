"""Colors of precisions, layer types and charts, under TREx's names.

Differs from NVIDIA's TREx: every data type and Myelin kind has a color, shades stay apart for color-blind readers,
and a key without a color is gray without being added to the map.
"""

from __future__ import annotations

from trex import _reexported
from trex.views.palette import GRID_COLOR, LAYER_COLORS, NVDA_GREEN, PRECISION_COLORS, SERIES_COLORS
from trex.views.palette import UNKNOWN_COLOR as UNKNOWN_KEY_COLOR

default_pallete = list(SERIES_COLORS)
"""Thirteen colors; the spelling is TREx's."""

precision_colormap = PRECISION_COLORS
"""Precision → color."""

layer_colormap = LAYER_COLORS
"""Layer type → color."""

__all__ = [
    "GRID_COLOR",
    "NVDA_GREEN",
    "UNKNOWN_KEY_COLOR",
    "default_pallete",
    "layer_colormap",
    "precision_colormap",
]


__getattr__ = _reexported(__name__)
