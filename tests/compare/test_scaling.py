"""Scaling curves: exponents, gain per item, where it ends."""

from __future__ import annotations

import pytest

from trex.compare.scaling import ScalingCurve, curves_of


def test_a_known_exponent():
    curve = ScalingCurve("a", (1, 2, 4, 8), tuple(0.1 * batch**0.5 for batch in (1, 2, 4, 8)))
    assert curve.exponent == pytest.approx(0.5)
    assert [e for _, _, e in curve.exponents] == pytest.approx([0.5] * 3)
    assert curve.efficiency == pytest.approx((1.0, 2**0.5, 2.0, 8**0.5))
    assert curve.saturates_at is None
    assert curve.words == "still gains at 8"


def test_saturation():
    curve = ScalingCurve("a", (1, 2, 4, 8, 16), (1.0, 1.1, 1.3, 2.6, 5.2))
    assert curve.saturates_at == 4
    assert curve.words == "gains up to 4, linear from there"
    assert ScalingCurve("a", (1, 2, 4), (1.0, 2.0, 4.0)).words == "linear throughout"


def test_a_last_step_that_gains_is_no_saturation():
    assert ScalingCurve("a", (1, 2, 4), (1.0, 2.0, 2.1)).saturates_at is None


def test_unknown_times_are_left_out():
    curve = ScalingCurve("a", (1, 2, 4), (1.0, None, 4.0))
    assert curve.exponent == pytest.approx(1.0)
    assert curve.item_ms == (1.0, None, 1.0)
    lone = ScalingCurve("a", (1, 2), (None, 3.0))
    assert (lone.exponent, lone.saturates_at, lone.words) == (None, None, "too few times")
    nothing = ScalingCurve("a", (1, 2), (None, None))
    assert nothing.efficiency == (None, None)
    assert ScalingCurve("a", (1, 2), (0.0, 3.0)).points == ((2, 3.0),)


def test_batches_are_put_in_order():
    (curve,) = curves_of([8, 1, 4], {"a": [8.0, 1.0, 4.0]})
    assert (curve.batches, curve.ms) == ((1, 4, 8), (1.0, 4.0, 8.0))
