"""Error bars of predictions: read if they are a pair of times, else unknown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import engine
from tests.simulated_engines import load_simulated
from trex.core.metadata import Metadata
from trex.perf.expected import expected_ms, is_predicted
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
