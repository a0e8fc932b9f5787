"""Error bars of predictions: read if they are a pair of times, else unknown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import engine
from tests.simulated_examples import load_simulated
from trex.core.metadata import Metadata
from trex.perf.expected import expected_ms, is_predicted, unjudged_shares, unjudged_words
from trex.plan.engine_plan import EnginePlan


def plan_with(section: Any) -> EnginePlan:
    return EnginePlan(engine(), metadata=Metadata(simulated=True, extra={"simulated": section}))


def test_the_examples_tell_theirs():
    plan = load_simulated("resnet18-int8")
    ends = expected_ms(plan)
    assert is_predicted(plan) and ends is not None
    assert ends[0] < plan.metadata.extra["simulated"]["compute_ms"] < ends[1]


def test_the_metadata_of_the_build_tell_them_where_there_are_no_others():
    plan = load_simulated("resnet18-int8")
    alone = EnginePlan(plan.whole_engine, build_metadata=plan.build_metadata)
    assert expected_ms(alone) == expected_ms(plan)


@pytest.mark.parametrize(
    "low, high",
    [(None, 1.0), ("0.5", 1.0), (True, 1.0), (2.0, 1.0), (0.0, 1.0), (-1.0, 1.0), (float("nan"), 1.0), (0.5, 1e300)],
)
def test_what_is_no_pair_of_ascending_times_is_not_known(low, high):
    assert expected_ms(plan_with({"expected_from_ms": low, "expected_to_ms": high})) is None


@pytest.mark.parametrize("section", [None, [], "x", {}, {"expected_from_ms": 1.0}])
def test_sections_of_other_kinds(section):
    assert expected_ms(plan_with(section)) is None
    assert expected_ms(EnginePlan(engine())) is None and not is_predicted(EnginePlan(engine()))


@pytest.mark.parametrize("section", [None, 3, [], {}, {"GEMM": "x"}, {"GEMM": True}, {"GEMM": 1.5}])
def test_shares_that_are_none_are_not_read(section):
    assert unjudged_shares(plan_with({"unjudged": section})) == {}
    assert unjudged_shares(EnginePlan(engine())) == {}


def test_what_no_engine_judged_is_said_in_words_the_largest_share_first():
    shares = unjudged_shares(plan_with({"unjudged": {"a": 0.1, "FP16 GEMM": 0.62, "b": 0.05, "c": 0.16}}))
    assert list(shares) == ["FP16 GEMM", "c", "a", "b"]
    assert unjudged_words(shares) == (
        "93 % of the predicted time is in work that no measured engine has judged: "
        "FP16 GEMM (62 %), c (16 %), a (10 %) and 1 more"
    )
