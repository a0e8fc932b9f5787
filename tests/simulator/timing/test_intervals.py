"""How far a device is from those that were measured."""

from __future__ import annotations

import math

import pytest

from tests.simulator.timing.round_device import a_device
from trex.simulator.timing.constants import fitted
from trex.simulator.timing.intervals import (
    DISTANCES,
    LEAST_MARGIN,
    OTHER,
    SAME_ARCHITECTURE,
    SAME_GPU,
    UNJUDGED,
    compute_interval,
    distance_between,
    fitted_devices,
    interval_of_groups,
    is_judged,
    unknown_work_interval,
)

KNOWN = [("NVIDIA A100 80GB PCIe", (8, 0))]
DOCUMENT = {
    "intervals": {
        "unknown work": {SAME_GPU: {"low": 1.0, "high": 40.0, "layers": 7}},
        "compute": {SAME_GPU: {"low": 0.9, "high": 1.2, "engines": 5}},
    }
}


def test_distances():
    assert distance_between(a_device(name="A100 80GB PCIe"), KNOWN) == SAME_GPU
    assert distance_between(a_device(), KNOWN) == SAME_ARCHITECTURE
    assert distance_between(a_device(compute_capability=(9, 0)), KNOWN) == OTHER


def test_unknown_work_is_at_least_as_unsure_as_work_that_no_engine_judged():
    assert unknown_work_interval(DOCUMENT, SAME_GPU) == (UNJUDGED[0], 40.0)
    assert unknown_work_interval({}, OTHER) == UNJUDGED


def test_sums():
    assert compute_interval(DOCUMENT, SAME_GPU) == ((0.9, 1.2), 5)
    assert compute_interval({}, OTHER) == (UNJUDGED, 0)


def test_the_unjudged_are_nine_tenths_of_a_logarithm_of_deviation_one_half():
    assert pytest.approx((math.exp(-0.8224), math.exp(0.8224)), rel=1e-3) == UNJUDGED


def test_few_groups_have_a_wide_interval():
    """Student's quantiles at 95 %: 2.353 with three degrees of freedom, 1.812 with ten."""
    three, ten = ({str(number): [0.1] for number in range(count)} for count in (3, 10))
    assert interval_of_groups(three)[1] == pytest.approx(math.exp(0.2353), rel=0.01)
    assert interval_of_groups(ten)[1] == pytest.approx(math.exp(0.1812), rel=0.01)
    assert interval_of_groups({"a": [0.1] * 50, "b": [0.1]}) == UNJUDGED


def test_many_engines_of_a_group_count_once():
    groups = {"a": [0.3], "b": [0.1], "c": [0.1]}
    assert interval_of_groups(groups | {"a": [0.3] * 9}) == pytest.approx(interval_of_groups(groups))


def test_an_interval_is_neither_certain_nor_wider_than_without_engines():
    assert interval_of_groups({str(number): [0.0] for number in range(30)})[1] == pytest.approx(LEAST_MARGIN)
    assert interval_of_groups({str(number): [2.0] for number in range(30)}) == pytest.approx(UNJUDGED)


def test_the_layers_of_one_engine_judge_nothing():
    judged = {"a": {"layers": 2, "engines": 2}, "b": {"layers": 9, "engines": 1}}
    assert [is_judged({"judged": judged}, work) for work in "abc"] == [True, False, False]


def test_in_the_package_farther_is_never_surer():
    document = fitted().document
    assert len(fitted_devices(document)) == len(document["engines"])
    result = [compute_interval(document, item)[0] for item in DISTANCES]
    assert result == sorted(result, key=lambda one: one[1] - one[0])
    assert all(low < 0.95 and high > 1.05 for low, high in result)
