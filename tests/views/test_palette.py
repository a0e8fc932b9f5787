"""The palette: every type has a color, and color-blind readers can distinguish the precisions."""

from __future__ import annotations

from itertools import combinations

import pytest

from trex.core.data_type import DataType
from trex.perf.achievable import Bound
from trex.views.palette import (
    BOUND_COLORS,
    LAYER_COLORS,
    PRECISION_COLORS,
    SERIES_COLORS,
    UNKNOWN_COLOR,
    _linear,
    colors_of,
    ink_on,
    luminance,
)

# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deuteranopia": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritanopia": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
COMPUTING = ("FP32", "FP16", "BF16", "FP8", "FP4", "INT8", "INT4", "INT32")


def lab(color: str, vision: str) -> tuple[float, float, float]:
    rgb = [_linear(int(color[i : i + 2], 16) / 255) for i in (1, 3, 5)]
    red, green, blue = (
        min(1.0, max(0.0, sum(w * c for w, c in zip(row, rgb, strict=True)))) for row in VISIONS[vision]
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def distance(a: str, b: str, vision: str) -> float:
    return sum((p - q) ** 2 for p, q in zip(lab(a, vision), lab(b, vision), strict=True)) ** 0.5


@pytest.mark.parametrize("vision", VISIONS)
def test_precisions_that_compute_stay_apart(vision: str) -> None:
    for a, b in combinations(COMPUTING, 2):
        assert distance(PRECISION_COLORS[a], PRECISION_COLORS[b], vision) > 15, (a, b)


def test_nvidia_green_would_not_do_beside_orange() -> None:
    assert distance("#76b900", PRECISION_COLORS["FP16"], "protanopia") < 2


def test_every_data_type_has_a_color() -> None:
    assert {data_type.label for data_type in DataType} == set(PRECISION_COLORS)


def test_familiar_meanings() -> None:
    channels = {
        name: [int(PRECISION_COLORS[name][i : i + 2], 16) for i in (1, 3, 5)] for name in ("FP32", "FP16", "INT8")
    }
    assert channels["FP32"][0] > 2 * max(channels["FP32"][1:])
    assert channels["FP16"][0] > channels["FP16"][1] > 2 * channels["FP16"][2]
    assert channels["INT8"][1] > 1.5 * max(channels["INT8"][0], channels["INT8"][2])


def test_an_unknown_key_is_gray_and_is_not_remembered() -> None:
    assert LAYER_COLORS["whatever"] == UNKNOWN_COLOR
    assert "whatever" not in LAYER_COLORS


def test_series_are_distinct() -> None:
    assert len(set(SERIES_COLORS)) == 13


def test_every_key_gets_a_color_its_own_first() -> None:
    result = colors_of(["b", "a", "b", "c"], {"a": "#123456"})
    assert result["a"] == "#123456"
    assert result["b"] == SERIES_COLORS[0]
    assert len(set(result.values())) == 3
    assert len(colors_of([str(i) for i in range(40)])) == 40


def test_ink_is_readable_on_every_color() -> None:
    for color in (*PRECISION_COLORS.values(), *LAYER_COLORS.values(), *SERIES_COLORS):
        light, ink = luminance(color), luminance(ink_on(color))
        assert (max(light, ink) + 0.05) / (min(light, ink) + 0.05) >= 4.5, color
    with pytest.raises(ValueError, match="rrggbb"):
        luminance("red")


def test_every_bound_has_a_color() -> None:
    assert set(BOUND_COLORS) == {bound.value for bound in Bound}
