"""Remembered products are those worked out anew."""

from __future__ import annotations

import pytest

from tests.factories import conv, gemm, layer, t
from trex.perf.work.gemm_shape import gemm_shape_of
from trex.plan.gemm import gemm_of

X, Y = t("x", (1, 8, 8, 8)), t("y", (1, 16, 8, 8))
LAYERS = [
    conv("c", [X], [Y], (1, 3)),
    conv("c", [X], [Y], (1, 3), groups=4),
    conv("c", [X], [Y], (1, 3), Kernel=[True, 3]),
    conv("c", [X], [Y], (1, 3), Kernel=[1.0, 3]),
    conv("c", [X], [Y], (1, 3), Groups=True),
    conv("c", [X], [Y], (1, 3), Kernel=[[1], 3]),
    conv("c", [X], [Y], (1, 3), Kernel="13"),
    conv("c", [X], [Y], (1, 3), OutMaps=[16]),
    layer("c", "Convolution", [X], [], Kernel=[1, 3]),
    gemm("g", t("a", (4, 8)), t("b", (8, 2)), t("c", (4, 2))),
    layer("g", "gemm", [t("a", (4, 8)), t("b", (8, None))], [t("c", (4, 2))]),
    layer("g", "gemm", [t("a", (4, 8)), t("b", ())], [t("c", (4, 2))]),
    layer("g", "gemm", [t("a", (4, 8))], [t("c", (4, 2))]),
    layer("g", "gemm", [t("a", (4, 8))], [t("c", (4, 2))], Inputs=[{"Dimensions": [4, True]}, {"Dimensions": [1, 2]}]),
    layer("g", "gemm", [t("a", (4, 8))], [t("c", (4, 2))], Inputs=[{"Dimensions": "48"}, {"Dimensions": [8, 2]}]),
    layer("g", "gemm", [t("a", (4, 8))], [t("c", (4, 2))], Inputs="x"),
    layer("m", "MatrixMultiply", [t("a", (4, 8)), t("b", (8, 2))], [t("c", (4, 2))]),
]


@pytest.mark.parametrize("turn", [1, -1])
def test_the_same_in_any_order(turn: int):
    """What was remembered of a damaged record is not taken for a sound one, nor the other way round."""
    for item in LAYERS[::turn]:
        assert gemm_shape_of(item) == gemm_of(item)
        assert gemm_shape_of(item) == gemm_of(item)
