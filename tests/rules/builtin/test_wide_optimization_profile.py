"""Optimization profiles that serve very different shapes."""

from __future__ import annotations

import pytest

from tests.factories import t
from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Planter, shape_profile, whole
from trex.core.tensor import Binding, ShapeRange

RULE = "wide-optimization-profile"


def profile(low, high, told: bool = True):
    ranges = (ShapeRange(low, None, high),) if told else ()
    return plan_of(chain("a"), bindings=[Binding("x", True, t("x", (None, 3, None, None)), ranges)])


def test_a_wide_range_is_reported_with_how_wide():
    found = finding(RULE, profile((1, 3, 64, 64), (8, 3, 256, 256)))
    assert found.evidence[-1].value == pytest.approx(128)  # 8 × 4 × 4
    assert found.tensors == ("x",)


def test_a_narrow_range_and_fixed_shapes_are_none():
    assert reports(RULE, profile((1, 3, 64, 64), (8, 3, 64, 64))) == []
    fixed = plan_of(chain("a"), bindings=[Binding("x", True, t("x", (8, 3, 64, 64)))])
    assert reports(RULE, fixed) == []
    assert reports(RULE, plan_of(chain("a"))) == []


def test_it_is_unchecked_without_the_profiles_shapes():
    assert "(x)" in only_unchecked(RULE, profile(None, None, told=False)).reason
    assert "(x)" in only_unchecked(RULE, profile(None, (8, 3, 64, 64))).reason


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = Planter(whole(shape_profile(1, 128)), whole(shape_profile(1, 8)))
