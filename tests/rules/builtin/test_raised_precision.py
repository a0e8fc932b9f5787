"""Layers in a wider type than in the baseline."""

from __future__ import annotations

import pytest

from tests.raw_records import layer, tensor
from tests.rules.baselines import engine, pair, timed
from tests.rules.making import answers, finding
from trex.rules.finding import Severity

RULE = "raised_precision"


def test_a_layer_that_became_wider_is_told_with_what_it_takes_longer():
    found = finding(RULE, timed(1.0, 3.0, "FP32"), timed(1.0, 2.0))
    assert "/b/Conv computes in FP32, in the baseline in FP16" in found.message
    assert found.at_stake == pytest.approx({1: 1.0})
    assert found.severity is Severity.WARNING
    assert finding(RULE, timed(1.0, 2.0, "FP32"), timed(1.0, 2.0)).severity is Severity.NOTE


def test_equal_and_narrower_types_are_none():
    assert answers(RULE, timed(1.0, 3.0), timed(1.0, 2.0)) == []
    assert answers(RULE, timed(1.0, 3.0), timed(1.0, 2.0, "FP32")) == []
    assert answers(RULE, timed(1.0, 3.0, "FP32")) == []


def test_it_says_nothing_of_types_that_no_file_tells():
    unheard = [tensor("t", written="unheard of")], [tensor("y", written="unheard of")]
    odd = engine([pair()[0], layer("/b/Conv", "Convolution", *unheard)])
    assert answers(RULE, timed(1.0, 3.0, "FP32"), odd) == []
