"""The gate applied to every engine of a series."""

from __future__ import annotations

from tests.compare.profiled import made
from trex.compare.gate import Judgment, read_condition
from trex.compare.series import Series
from trex.compare.series_gate import judge_all

LATENCY = read_condition("latency>+3%")


def test_every_engine_is_judged_against_the_base():
    fast, slow = made("resnet18-int8-residual"), made("resnet18-fp16")
    found = judge_all(Series(made("resnet18-int8"), [fast, slow]), [[LATENCY], [LATENCY]])
    assert [(each.engine, each.judgment) for each in found] == [
        ("resnet18-int8-residual", Judgment.PASSED),
        ("resnet18-fp16", Judgment.FAILED),
    ]
    assert found[1].words.startswith("resnet18-fp16: latency") and found[1].subject == "resnet18-fp16: latency"


def test_each_may_have_its_own_conditions():
    plan = made("resnet18-int8")
    found = judge_all(Series(plan, [plan, made("resnet18-fp16")]), [[], [LATENCY]])
    assert [each.engine for each in found] == ["resnet18-fp16"]


def test_one_alone_needs_no_name():
    found = judge_all(Series(made("resnet18-int8"), [made("resnet18-fp16")]), [[LATENCY]])
    assert found[0].engine == "" and found[0].subject == "latency"
