"""Runs at other shapes than those the kernels were chosen for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.factories import t
from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Planter, shape_profile, whole
from trex.core.tensor import Binding, ShapeRange

RULE = "shape-off-optimum"


def dynamic(ran: str, *ranges: Sequence[int], static: bool = False):
    low, optimum, high = ranges or ((1, 3, 8, 8), (8, 3, 8, 8), (32, 3, 8, 8))
    shape = tuple(optimum) if static else (None, *optimum[1:])
    allowed = (ShapeRange(tuple(low), tuple(optimum), tuple(high)),)
    binding = Binding("x", True, t("x", shape), () if static else allowed)
    run = {"Input inference shape": ran} if ran else {}
    return plan_of(chain("a"), bindings=[binding], run=run)


def test_a_batch_far_from_the_optimum_is_reported():
    found = finding(RULE, dynamic("x=1x3x8x8"))
    assert "The run's batch of x" in found.message and "1/8" in found.message
    assert found.evidence[-1].value == pytest.approx(0.125)
    assert "--optShapes=x:1x3x8x8" in found.fix[0]


def test_other_shapes_are_reported_too():
    found = finding(RULE, dynamic("x=1x3x64x64", (1, 3, 8, 8), (1, 3, 32, 32), (1, 3, 64, 64)))
    assert "The run's shape of x" in found.message and "4 times" in found.message


def test_a_run_at_or_near_the_optimum_is_none():
    assert reports(RULE, dynamic("x=8x3x8x8")) == []
    assert reports(RULE, dynamic("x=12x3x8x8")) == []  # 1.5 times
    assert reports(RULE, dynamic("x=12x3x8x8", (1, 3, 8, 8), (8, 3, 8, 8), (32, 3, 8, 8))) == []
    assert len(reports(RULE, dynamic("x=12x3x8x8"), ratio=1.5)) == 1


def test_a_fixed_shape_is_none():
    assert reports(RULE, dynamic("x=8x3x8x8", static=True)) == []
    assert reports(RULE, plan_of(chain("a"))) == []


def test_it_is_unchecked_without_the_shapes():
    assert "logs" in only_unchecked(RULE, dynamic("")).hint
    assert "(x)" in only_unchecked(RULE, dynamic("y=1x3x8x8")).reason


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = Planter(whole(shape_profile(4, 32)), whole(shape_profile(1, 32)))
