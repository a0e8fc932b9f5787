"""Optimization profiles that serve very different shapes."""

from __future__ import annotations

import pytest

from tests.factories import t
from tests.raw_records import chain
from tests.rules.making import answers, finding, plan_of, untold
from trex.core.tensor import Binding, ShapeRange

RULE = "wide_optimization_profile"


def profile(low, high, told: bool = True):
    ranges = (ShapeRange(low, None, high),) if told else ()
    return plan_of(chain("a"), bindings=[Binding("x", True, t("x", (None, 3, None, None)), ranges)])


def test_a_wide_range_is_told_with_how_wide():
    found = finding(RULE, profile((1, 3, 64, 64), (8, 3, 256, 256)))
    assert found.evidence[-1].value == pytest.approx(128)  # 8 × 4 × 4
    assert found.tensors == ("x",)


def test_a_narrow_range_and_fixed_shapes_are_none():
    assert answers(RULE, profile((1, 3, 64, 64), (8, 3, 64, 64))) == []
    fixed = plan_of(chain("a"), bindings=[Binding("x", True, t("x", (8, 3, 64, 64)))])
    assert answers(RULE, fixed) == []
    assert answers(RULE, plan_of(chain("a"))) == []


def test_it_cannot_be_told_when_no_file_tells_the_profile():
    assert "(x)" in untold(RULE, profile(None, None, told=False)).reason
    assert "(x)" in untold(RULE, profile(None, (8, 3, 64, 64))).reason
