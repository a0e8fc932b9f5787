"""Convolutions of mixed precision."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.cases import analyzed, conv, findings, half, int8, single, unchecked, work
from tests.rules.planting import KERNEL, Parts, like, pair
from trex.core.data_type import DataType
from trex.core.tensor import Tensor

NAME = "mixed-precision-convolution"


def test_outputs_and_residuals() -> None:
    seen = analyzed(
        conv("Conv_1", [int8("x")], half("a")),
        conv("Conv_2 + Add_3", [int8("x"), half("a")], int8("b")),
        conv("Conv_4", [half("h")], single("c")),
        ms=[0.4, 0.4, 0.2],
    )
    output, residual, wide = findings(NAME, seen)
    assert output.message.startswith("Conv_1 reads INT8 and writes FP16: 0.4 ms")
    assert "adds a residual in FP16 ('a')" in residual.message
    # 4096 bytes in, 8192 out, 4096 of weights; with a residual of 8192 bytes and 4096 out
    assert output.savings == pytest.approx({0: 0.4 * 4096 / 16384})
    assert residual.savings == pytest.approx({1: 0.4 * 4096 / 20480})
    # FP16: 8192 in, FP32 16384 out, 8192 of weights
    assert wide.savings == pytest.approx({2: 0.2 * 8192 / 32768})


def test_one_type_and_outputs_are_no_finding() -> None:
    seen = analyzed(
        conv("Conv_1", [int8("x")], int8("a")),
        conv("Conv_2 + Add_3", [int8("a"), int8("x")], int8("b")),
        conv("Conv_4", [int8("b")], single("y")),
    )
    assert not findings(NAME, seen)


def test_unknown_types() -> None:
    odd = replace(half("a"), data_type=DataType.UNKNOWN)
    (answer,) = unchecked(NAME, analyzed(conv("Conv_1", [int8("x")], odd)))
    assert answer.layers == (0,)


# ---- The defect that tests plant into engines, and its sound twin


def mixed(x: Tensor, bad: bool) -> Parts:
    output = like(x, "b901", "FP32" if bad else "FP16", "NHWC8")
    return [
        (conv("Conv_901", [x], output, tactic=KERNEL), 0.05),
        (work("Sigmoid_902", "PointWise", [output], replace(output, name="c902")), 0.03),
    ]


PLANTER = pair(mixed)
