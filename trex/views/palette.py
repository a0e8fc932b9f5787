"""The palette: the color of each precision, layer type, bound and series, the same in every picture.

The precisions keep their familiar meaning (FP32 red, FP16 orange, INT8 green), in shades that readers can distinguish
with protanopia, deuteranopia or tritanopia: the test measures their distance in CIELAB under the simulation of Machado,
Oliveira and Fernandes (2009).
"""

from __future__ import annotations

from collections.abc import Mapping

NVDA_GREEN = "#76b900"
UNKNOWN_COLOR = "gray"
GRID_COLOR = "rgba(118, 185, 0, 0.25)"


class ColorMap(dict[str, str]):
    """Key → color; ``gray`` for a key without a color, which is not added."""

    def __missing__(self, key: str) -> str:
        return UNKNOWN_COLOR


PRECISION_COLORS = ColorMap(
    {
        "FP64": "#7a1f12",
        "FP32": "#cc3311",
        "FP16": "#f5a623",
        "BF16": "#fbdc9a",
        "FP8": "#0077bb",
        "FP4": "#4a148c",
        "E8M0": "#e78ac3",
        "INT64": "#4d4d4d",
        "INT32": "#b5b5b5",
        "INT16": "#9aa77a",
        "INT8": "#5ec962",
        "INT4": "#00d0ff",
        "UINT64": "#3b3b4d",
        "UINT32": "#a3a3b5",
        "UINT16": "#86946a",
        "UINT8": "#9fe0a0",
        "BOOL": "#e0e0e0",
        "COMPLEX64": "#8d6e63",
        "COMPLEX128": "#5d4037",
        "Unknown": UNKNOWN_COLOR,
    }
)

# One hue per kind of work: GEMMs green and blue, arithmetic gold, reductions purple, data movement red, order gray.
LAYER_COLORS = ColorMap(
    {
        "Convolution": "#6fbf3f",
        "Deconvolution": "#4f8f2f",
        "ConvActPool": "#9fd26b",
        "conv": "#57a639",
        "FullyConnected": "#2f9e8f",
        "MatrixMultiply": "#2878c8",
        "Einsum": "#5aa9e6",
        "Attention": "#1b4f9c",
        "gemm": "#1E90FF",
        "correlation": "#00a5c8",
        "deconv": "#0f86a3",
        "runtime_fusion": "#3f7fd0",
        "runtime_function": "#c4ae63",
        "maxpool": "#7bdff2",
        "avgpool": "#7bdff2",
        "fusion": "#d98e04",
        "kgen": "#B39C4D",
        "Myelin": "#8a7532",
        "PointWise": "#ffb000",
        "PointWiseV2": "#ffb000",
        "ElementWise": "#ffc94d",
        "Activation": "#ffd97a",
        "Unary": "#ffe19c",
        "Scale": "#e0a96d",
        "Cast": "#c9a227",
        "Quantize": "#a86a1d",
        "Dequantize": "#c98a3d",
        "Select": "#f2d16b",
        "Pooling": "#7bdff2",
        "Resize": "#4cc9c0",
        "Normalization": "#b388eb",
        "SoftMax": "#9d4edd",
        "RaggedSoftMax": "#9d4edd",
        "Reduce": "#7b2cbf",
        "TopK": "#5a189a",
        "CumulativeSum": "#8457c9",
        "NonZero": "#c8a2ff",
        "NMS": "#6a4c93",
        "Reformat": "#e63946",
        "MyelinReformat": "#f07178",
        "Shuffle": "#ff8fa3",
        "reshape": "#ff8fa3",
        "Slice": "#ff5d8f",
        "Padding": "#ff7aa8",
        "Concatenation": "#c9184a",
        "Gather": "#b5446e",
        "Scatter": "#8f2d56",
        "OneHot": "#d6789f",
        "GridSample": "#f4978e",
        "PluginV2": "#00b3a4",
        "PluginV3": "#00b3a4",
        "PluginV2DynamicExt": "#00b3a4",
        "PluginV2Ext": "#00b3a4",
        "RNN": "#3d5a80",
        "Loop": "#5c7fa3",
        "Conditional": "#7d9cc0",
        "Constant": "#d0d0c8",
        "NoOp": "#eeeeee",
        "Group": "#d5deea",
        "Shape": "#c2c9d1",
        "shape_call": "#c2c9d1",
        "signal": "#9aa5b1",
        "wait": "#7f8a96",
        "signal_wait": "#8c97a3",
        "signal_and_wait": "#8c97a3",
        "TrainStation": "#66707a",
        "DLA": "#5f8575",
        "DlaCopyIn": "#e8707a",
        "DlaCopyOut": "#d9606b",
        "DlaFinish": "#8f9ba7",
    }
)

# Okabe and Ito's palette ("Color Universal Design", 2008), distinct for every kind of color vision. It is an option
# because it gives up the familiar meaning of red, orange and green.
SAFE_COLORS = ColorMap(
    {
        "FP32": "#d55e00",
        "FP16": "#e69f00",
        "BF16": "#f0e442",
        "INT8": "#009e73",
        "FP8": "#0072b2",
        "FP4": "#56b4e9",
        "INT4": "#cc79a7",
        "INT32": "#999999",
        "Unknown": UNKNOWN_COLOR,
    }
)

# What bounds a layer (values of ``trex.perf.achievable.Bound``), in charts and diagrams.
BOUND_COLORS = {
    "tensor cores": NVDA_GREEN,
    "CUDA cores": "#ffb000",
    "memory": "#0077bb",
    "L2": "#33bbee",
    "launch": "#ee3377",
    "unknown": UNKNOWN_COLOR,
}

# For series without a color of their own, in order.
SERIES_COLORS = [
    NVDA_GREEN,
    "#0077bb",
    "#ee7733",
    "#7b2cbf",
    "#33bbee",
    "#cc3311",
    "#009988",
    "#ffb000",
    "#ee3377",
    "#4d4d4d",
    "#a5d46a",
    "#8d6e63",
    "#bbbbbb",
]


def colors_of(keys: list[str], colors: Mapping[str, str] | None = None) -> dict[str, str]:
    """A color for every key: from ``colors``, else the next of the series."""
    given = colors or {}
    taken = set(given.values())
    free = [color for color in SERIES_COLORS if color not in taken] or SERIES_COLORS
    result: dict[str, str] = {}
    for key in keys:
        if key not in result:
            result[key] = given[key] if key in given else free[len(result) % len(free)]
    return result


def ink_on(background: str) -> str:
    """Black or white, whichever reads better on ``#rrggbb``: by contrast ratio (WCAG 2.1, success criterion 1.4.3)."""
    light = luminance(background)
    return "#000000" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "#ffffff"


def luminance(color: str) -> float:
    """Relative luminance of ``#rrggbb`` between 0 and 1 (WCAG 2.1); 0.2159 for ``gray``. Raises ValueError else."""
    digits = "808080" if color == UNKNOWN_COLOR else color.removeprefix("#")
    if len(digits) != 6:
        raise ValueError(f"{color!r} is not #rrggbb")
    red, green, blue = (_linear(int(digits[i : i + 2], 16) / 255) for i in (0, 2, 4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
