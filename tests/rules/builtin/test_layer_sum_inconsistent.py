"""Layers whose times do not add up to GPU compute."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Ground, Planter, whole

RULE = "layer-sum-inconsistent"
LAYERS = {"a": 1.0, "b": 1.0}


def summed(compute_ms: float, records=None):
    return plan_of(records or chain("a", "b"), LAYERS, latency={"GPU Compute Time": compute_ms})


def test_far_more_than_timing_layers_costs_is_reported():
    found = finding(RULE, summed(1.5))
    values = {each.what: each.value for each in found.evidence}
    assert values["layers / GPU compute"] == pytest.approx(1.333)  # 2.0 / 1.5
    assert values["excess per timed layer"] == pytest.approx(0.25)  # (2.0 − 1.5) / 2 layers


def test_far_less_is_reported():
    found = finding(RULE, summed(2.5))
    assert "20 % less than GPU compute" in found.message  # 2.0 / 2.5


def test_the_usual_cost_of_timing_is_none():
    assert reports(RULE, summed(1.99)) == []  # 5 µs a layer
    assert reports(RULE, summed(2.0)) == []
    assert reports(RULE, summed(2.1)) == []  # 4.8 % less


def test_streams_overlap():
    records = [record | {"StreamId": place} for place, record in enumerate(chain("a", "b"))]
    assert reports(RULE, summed(1.2, records)) == []


def test_it_is_unchecked_without_the_time_of_an_inference():
    assert "--exportTimes" in only_unchecked(RULE, plan_of(chain("a", "b"), LAYERS)).hint
    assert reports(RULE, plan_of(chain("a", "b"))) == []


# ---- The defect that tests plant into engines, and its sound twin


def layer_times(factor: float) -> Callable[[Ground], None]:
    def change(ground: Ground) -> None:
        ground.trace = [ms * factor for ms in ground.trace]

    return change


PLANTER = Planter(whole(layer_times(1.5)), whole(layer_times(1.03)))
