"""Files of different runs read as one engine."""

from __future__ import annotations

import pytest

from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Ground, Planter, whole

RULE = "profile-of-another-run"


def test_records_without_a_layer_are_reported_with_their_time():
    plan = plan_of(chain("a", "b", "c"), {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5})
    found = finding(RULE, plan)
    assert "1 profile record matches no layer (d)" in found.message
    assert next(each.value for each in found.evidence) == pytest.approx(0.5)


def test_layers_without_a_record_are_named():
    found = finding(RULE, plan_of(chain("a", "b", "c"), {"a": 1.0, "b": 1.0}))
    assert found.layers == (2,) and "1 of 3 layers" in found.message


def test_a_trace_of_another_run_than_the_summary():
    plan = plan_of(chain("a"), {"a": 1.0}, trace={"computeMs": [2.0, 2.1, 1.9] * 20}, latency={"GPU Compute Time": 1.0})
    found = finding(RULE, plan)
    assert "files are of different runs" in found.message
    assert found.evidence[0].value == pytest.approx(2.0)


def test_files_of_one_run_agree():
    same = plan_of(chain("a"), {"a": 1.0}, trace={"computeMs": [1.0] * 60}, latency={"GPU Compute Time": 1.0})
    assert reports(RULE, same) == []
    assert reports(RULE, plan_of(chain("a"))) == []  # no profile to be of another run


def test_it_is_unchecked_of_a_profile_without_times():
    assert "no times" in only_unchecked(RULE, plan_of(chain("a", "b"), {})).reason


# ---- The defect that tests plant into engines, and its sound twin


def foreign_record(ground: Ground) -> None:
    ground.latency["GPU Compute Time"] = 1.5 * ground.total_ms


def same_record(ground: Ground) -> None:
    ordered = sorted(ground.trace)
    ground.latency["GPU Compute Time"] = (ordered[149] + ordered[150]) / 2


PLANTER = Planter(whole(foreign_record), whole(same_record))
