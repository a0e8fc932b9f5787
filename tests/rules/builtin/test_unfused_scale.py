"""Q/DQ that runs as Scale layers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.cases import analyzed, conv, findings, half, int8, unchecked, work
from tests.rules.planting import KERNEL, Parts, int8_like, like, pair
from trex.core.data_type import DataType
from trex.core.tensor import Tensor

NAME = "unfused-scale"


def test_a_scale_that_quantizes() -> None:
    engine = analyzed(
        work("QuantLinearNode__9", "Scale", [half("x")], int8("a")),
        conv("Conv_1", [int8("a")], int8("y")),
        ms=[0.2, 0.3],
    )
    (found,) = findings(NAME, engine)
    assert "QuantLinearNode__9 is Q/DQ that did not fuse: a Scale layer from FP16 to INT8, 0.2 ms" in found.message
    assert found.savings == {0: pytest.approx(0.2)}


def test_a_scale_named_after_q_that_keeps_its_type() -> None:
    (found,) = findings(NAME, analyzed(work("QuantizeLinear_1", "Scale", [half("x")], half("y"))))
    assert found.savings == {}


def test_scales_of_floats_are_no_finding() -> None:
    assert not findings(NAME, analyzed(work("Mul_1 + Add_2", "Scale", [half("x")], half("y"))))


def test_unknown_types() -> None:
    odd = replace(half("x"), data_type=DataType.UNKNOWN)
    (answer,) = unchecked(NAME, analyzed(work("s", "Scale", [odd], replace(odd, name="y"))))
    assert answer.layers == (0,)


# ---- The defect that tests plant into engines, and its sound twin


def scale(x: Tensor, bad: bool) -> Parts:
    output = int8_like(x, "q901") if bad else like(x, "q901")
    return [
        (work("QuantLinearNode__901" if bad else "Mul_901", "Scale", [x], output), 0.04),
        (conv("Conv_902", [output], like(x, "e902"), tactic="" if bad else KERNEL), 0.05),
    ]


PLANTER = pair(scale)
