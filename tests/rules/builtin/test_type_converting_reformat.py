"""Reformats that convert the type."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.cases import analyzed, conv, copy, findings, half, int8, unchecked, work
from tests.rules.planting import Parts, like, pair
from trex.core.data_type import DataType
from trex.core.tensor import Tensor

NAME = "type-converting-reformat"


def test_a_conversion_between_two_layers() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], half("a")),
        copy("QuantizeLinear_2", half("a"), int8("b"), "QDQ"),
        conv("Conv_3", [int8("b")], int8("y")),
        ms=[0.5, 0.2, 0.3],
    )
    (found,) = findings(NAME, engine)
    assert found.message.startswith("QuantizeLinear_2 converts FP16 to INT8 between Conv_1 and Conv_3: 0.2 ms (20.0 %")
    assert found.savings == {1: pytest.approx(0.2)}
    told = {each.what: each.value for each in found.evidence}
    assert told["origin"] == "QDQ" and told["layout changes"] is False and told["shape changes"] is False


def test_layout_changes_and_conversions_are_no_finding() -> None:
    layout = analyzed(
        conv("Conv_1", [half("x")], half("a")),
        copy("R", half("a"), half("b", format="NHWC8")),
        conv("Conv_2", [half("b", format="NHWC8")], half("y")),
    )
    border = analyzed(copy("Q", half("x"), int8("a")), conv("Conv_1", [int8("a")], int8("y")))
    assert not findings(NAME, layout) and not findings(NAME, border)


def test_unknown_types() -> None:
    odd = replace(half("b"), data_type=DataType.UNKNOWN)
    (answer,) = unchecked(NAME, analyzed(conv("Conv_1", [half("x")], half("a")), copy("R", half("a"), odd)))
    assert answer.layers == (1,)


# ---- The defect that tests plant into engines, and its sound twin


def converting(x: Tensor, bad: bool) -> Parts:
    there = like(x, "b901", "FP32") if bad else like(x, "b901", "FP16", "NCHW")
    return [
        (copy("Cast_901", x, there, "CAST" if bad else "REFORMAT"), 0.03),
        (work("Softmax_902", "SoftMax", [there], replace(there, name="c902")), 0.05),
    ]


PLANTER = pair(converting)
