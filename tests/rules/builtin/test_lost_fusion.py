"""Fusions lost against the baseline."""

from __future__ import annotations

import pytest

from tests.raw_records import layer
from tests.rules.baselines import conv, engine
from tests.rules.making import answers, finding
from trex.rules.finding import Severity

RULE = "lost_fusion"
FUSED = [conv("/a/Conv + /a/Sigmoid", "x", "y")]
SPLIT = [conv("/a/Conv", "x", "t"), layer("/a/Sigmoid", inputs=["t"], outputs=["y"])]


def test_several_kernels_for_one_are_told_with_what_they_take_longer():
    found = finding(
        RULE, engine(SPLIT, {"/a/Conv": 1.0, "/a/Sigmoid": 0.5}), engine(FUSED, {"/a/Conv + /a/Sigmoid": 1.2})
    )
    assert found.layers == (0, 1) and "2 kernels here, 1 in the baseline" in found.message
    assert found.at_stake == pytest.approx({0: 0.2, 1: 0.1})  # 1.5 − 1.2 in proportion to 1.0 and 0.5
    assert found.severity is Severity.WARNING


def test_without_times_it_stands_without_a_price():
    found = finding(RULE, engine(SPLIT), engine(FUSED))
    assert found.at_stake == {} and found.severity is Severity.NOTE


def test_the_same_fusion_and_more_of_it_are_none():
    assert answers(RULE, engine(FUSED), engine(FUSED)) == []
    assert answers(RULE, engine(FUSED), engine(SPLIT)) == []
    assert answers(RULE, engine(SPLIT), engine(FUSED), layers=2) == []
    copy = layer("Reformatting CopyNode for Input Tensor 0 to /a/Conv + /a/Sigmoid", "Reformat", ["x"], ["t"])
    assert answers(RULE, engine([copy, conv("/a/Conv + /a/Sigmoid", "t", "y")]), engine(FUSED)) == []


def test_it_says_nothing_where_nothing_can_be_compared():
    assert answers(RULE, engine(SPLIT)) == []
    assert answers(RULE, engine(SPLIT), engine([conv("/other/Conv", "x", "y")])) == []  # DIFF001 says why
