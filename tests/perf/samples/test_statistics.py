"""All of it at once: bad input, findings, and what must not depend on what."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trex.perf.samples.statistics import statistics_of
from trex.perf.samples.steadiness import steadiness_of


def noise(count: int = 4000, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(1.0, 0.005, count)


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        ([], "there are no samples"),
        ([0.0] * 50, "every sample is 0 ms"),
        ([math.nan] * 3, "there are no samples (left out: 3 samples without a number)"),
        ([-1.0], "there are no samples (left out: 1 negative sample)"),
    ],
)
def test_no_times(samples, reason):
    result: Any = statistics_of(samples)
    assert (result.count, result.reason) == (0, reason)
    assert math.isnan(result.median_ms) and result.percentiles == {} and result.detectable.median_pct is None
    assert steadiness_of(result).is_steady is None


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=300), st.integers(0, 10))
def test_any_numbers(samples, warm_up_rows):
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        result: Any = statistics_of(samples, "x", "x", warm_up_rows)
        steadiness_of(result)
    assert result.count <= max(0, len(samples) - warm_up_rows)
    if result.count:
        assert result.spread.minimum_ms <= result.median_ms <= result.spread.maximum_ms
        assert list(result.percentiles.values()) == sorted(result.percentiles.values())


LEVELS = st.lists(st.tuples(st.sampled_from([0.0, 0.001, 0.011, 0.5]), st.integers(1, 400)), min_size=1, max_size=6)


@settings(max_examples=100, deadline=None)
@given(LEVELS)
@example([(0.0, 465), (0.011, 20), (0.0, 215)])
@example([(0.0, 400), (0.5, 400)])
def test_levels_of_a_coarse_clock(levels: list[tuple[float, int]]) -> None:
    """A time that is rounded to 0 ms has no change in percent."""
    steadiness = steadiness_of(statistics_of([ms for ms, count in levels for _ in range(count)]))
    assert math.isfinite(steadiness.uncertainty_pct or 0.0)
    assert "(0.0 %)" not in " ".join((*steadiness.findings, *steadiness.remarks))


@pytest.mark.parametrize("factor", [1e-9, 1000.0])
def test_a_unit_changes_no_finding(factor: float):
    values = noise()
    values[2500:] *= 1.03
    values[::80] += 0.4
    one, thousand = statistics_of(values), statistics_of(values * factor)
    assert one.spread.variation_pct == pytest.approx(thousand.spread.variation_pct)
    assert [level.first for level in one.levels.levels] == [level.first for level in thousand.levels.levels]
    assert (one.spikes.count, one.spikes.period) == (thousand.spikes.count, thousand.spikes.period)
    assert one.detectable.median_pct == pytest.approx(thousand.detectable.median_pct)


def test_a_known_warm_up_is_left_out():
    values = np.concatenate((np.full(200, 5.0), noise()))
    assert statistics_of(values, warm_up_rows=200).median_ms == pytest.approx(1.0, abs=0.001)
    assert statistics_of(values, warm_up_rows=200).spread.maximum_ms < 1.1
    result: Any = statistics_of(values)
    assert result.warm_up.samples == 200 and result.levels.levels[0].first == 200


def test_a_coarse_clock_is_a_caveat():
    result: Any = statistics_of(np.array([0.0, 0.01] * 100), zero_is_a_time=True, coarsest_step_ms=0.01)
    assert result.count == 200 and result.caveats == ("the samples come in steps of 10 µs, 200 % of the median",)


@pytest.mark.parametrize(
    ("change", "steady", "words"),
    [
        (lambda v: v, True, ""),
        (
            lambda v: v + np.where(np.arange(len(v)) > 2400, 0.02, 0.0),
            False,
            "1 change of level, between 0.99",
        ),
        (lambda v: v + np.linspace(0, 0.02, len(v)), False, "became slower by 2.0 %"),
        (lambda v: v - np.linspace(0, 0.02, len(v)), False, "became faster by"),
        (
            lambda v: v + np.where(np.random.default_rng(1).random(len(v)) < 0.4, 0.05, 0),
            False,
            "2 modes, 0.9998 ms (59 %) and 1.05 ms (41 %), alternating",
        ),
    ],
)
def test_steadiness(change, steady, words):
    result: Any = steadiness_of(statistics_of(change(noise())))
    assert result.is_steady is steady and words in "".join(result.findings)
    assert (result.uncertainty_pct > 1.5) is not steady


def test_what_does_not_unsettle_a_run_is_a_remark():
    values = noise()
    values[:40] *= 1.1
    values[1000:1040] *= 1.02
    values[1500::100] += 0.5
    result: Any = steadiness_of(statistics_of(values))
    assert result.is_steady and result.findings == () and result.uncertainty_pct == 0.0
    beginning, spikes = result.remarks[-2:]
    assert re.fullmatch(r"the first (40|45|50) samples were (9.9|10.0) % slower than the rest", beginning)
    # 25 that were put in, and the highest of those at 1.02
    assert re.fullmatch(
        r"(2[5-9]|3[0-9]) samples \(0\.[0-9]+ %\) above .* one every 100 samples \(about 100 ms\)", spikes
    )
    assert "in a row at another level" in result.remarks[0]
