"""Changes in the values of runs: found where they are, and rarely where there are none."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from trex.store.change_points import ALPHA, levels_in, levels_of_counts, seeded_intervals


def noise(count: int, seed: int, scale: float = 0.01) -> np.ndarray:
    return np.exp(np.random.default_rng(seed).normal(0.0, scale, count))


@pytest.mark.parametrize(("count", "series"), [(6, 400), (14, 250), (40, 120)])
def test_noise_is_seldom_a_change(count: int, series: int) -> None:
    """At most three standard errors above the stated 1 %."""
    alarms = sum(bool(levels_in(noise(count, seed)).changes) for seed in range(series))
    assert alarms / series <= ALPHA + 3.0 * (ALPHA / series) ** 0.5


def test_real_runs_in_any_order_are_seldom_a_change(shared_engines: Path) -> None:
    """Medians of pieces of real per-query times, shuffled: of 13 engines with 12 runs, on average 2 % at most."""
    rates = []
    for file in sorted(shared_engines.glob("*/*timing.json")):
        times = np.array([query["computeMs"] for query in json.loads(file.read_bytes())])
        size = 20
        medians = np.median(times[: len(times) // size * size].reshape(-1, size), axis=1)
        if len(medians) >= 16:
            random = np.random.default_rng(3)
            found = [bool(levels_in(random.choice(medians, 12, replace=False)).changes) for _ in range(20)]
            rates.append(float(np.mean(found)))
    assert len(rates) >= 10 and float(np.mean(rates)) <= 0.035


@pytest.mark.parametrize("count", [6, 12, 30])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_findings_that_come_and_go_are_seldom_a_change(count: int, share: float) -> None:
    """At most three standard errors above the stated 1 %."""
    random, series = np.random.default_rng(count), 150
    alarms = sum(bool(levels_of_counts(random.binomial(2, share, count).tolist()).changes) for _ in range(series))
    assert alarms / series <= ALPHA + 3.0 * (ALPHA / series) ** 0.5


def test_findings_of_a_level_are_their_mean() -> None:
    found = levels_of_counts([0, 0, 1, 0, 0, 0, 0, 0, 5, 5, 6, 5, 5, 5])
    (change,) = found.changes
    assert (change.index, change.before, change.after) == (8, 0.125, pytest.approx(31 / 6))
    assert 0.0 < change.chance <= ALPHA and [level.value for level in found.levels] == [change.before, change.after]
    assert levels_of_counts([0] * 10 + [1]).latest_pct is None


@pytest.mark.parametrize("count", [10, 50, 400])
def test_a_finding_of_the_last_run_is_not_confirmed(count: int) -> None:
    found = levels_of_counts([2] * count + [3])
    assert not found.changes and found.latest_pct == 50.0


@pytest.mark.parametrize("cut", [4, 10, 17])
def test_a_step_is_found_where_it_is(cut: int) -> None:
    values = noise(21, 5)
    values[cut:] *= 1.10
    found = levels_in(values)
    (change,) = found.changes
    assert change.index == cut and change.earliest <= cut <= change.latest
    assert change.low_pct is not None and change.high_pct is not None
    assert change.low_pct - 0.5 < 10.0 < change.high_pct + 0.5 and change.confidence_pct > 99.0
    assert found.noise_pct == pytest.approx(1.0, rel=0.5)
    assert [(level.first, level.behind) for level in found.levels] == [(0, cut), (cut, 21)]


@pytest.mark.parametrize("count", range(4, 20))
def test_two_new_runs_are_enough(count: int) -> None:
    """Also of so few runs that random orders show the same by chance."""
    values = noise(count, 5, 0.002)
    values[-2:] *= 1.1
    assert [change.index for change in levels_in(values).changes] == [count - 2]


def test_two_steps_that_cancel_are_both_found() -> None:
    values = noise(40, 7)
    values[15:24] *= 1.12
    assert [change.index for change in levels_in(values).changes] == [15, 24]


def test_the_unit_does_not_matter() -> None:
    values = noise(20, 5)
    values[12:] *= 0.9
    one, other = levels_in(values), levels_in(values * 1e6)
    assert [(c.index, round(c.chance, 12), round(c.change_pct, 6)) for c in one.changes] == [
        (c.index, round(c.chance, 12), round(c.change_pct, 6)) for c in other.changes
    ]


def test_runs_of_one_position_are_never_parted() -> None:
    values = noise(18, 2)
    values[8:] *= 1.2
    groups = [index // 3 for index in range(18)]  # the step is within the third group
    for change in levels_in(values, groups).changes:
        assert change.index % 3 == 0


def test_a_drift_is_no_change() -> None:
    """Random walks: most are called a drift, few a change."""
    found = [levels_in(np.exp(np.cumsum(np.random.default_rng(seed).normal(0.0, 0.01, 60)))) for seed in range(12)]
    assert sum(one.drift for one in found) >= 9 and sum(bool(one.changes) for one in found) <= 3
    assert all(len(one.levels) == 1 for one in found if one.drift)


def test_one_last_run_is_not_confirmed() -> None:
    values = noise(15, 3)
    values[-1] *= 1.10
    found = levels_in(values)
    assert not found.changes and found.latest_pct == pytest.approx(10.0, abs=4.0)
    assert levels_in(noise(15, 3)).latest_pct is None


def test_small_changes_are_not_reported() -> None:
    values = noise(60, 1, 1e-4)
    values[30:] *= 1.002
    assert not levels_in(values).changes
    values[30:] *= 1.01
    assert len(levels_in(values).changes) == 1


def test_exact_values_change_at_every_difference() -> None:
    found = levels_in([5.0, 5.0, 6.0, 6.000001, 5.0], is_exact=True)
    assert [change.index for change in found.changes] == [2, 4] and found.changes[0].chance == 0.0
    assert found.noise_pct is None


def test_indexes_of_findings_are_those_of_all_runs() -> None:
    found = levels_of_counts([2] * 600 + [4] * 600 + [5], builds=[0] * 1200 + [1])
    assert [(level.first, level.behind) for level in found.levels] == [(201, 600), (600, 1200), (1200, 1201)]


@pytest.mark.parametrize("is_exact", [True, False])
def test_indexes_are_those_of_all_runs(is_exact: bool) -> None:
    values = np.repeat([1.0, 1.5], 600) if is_exact else np.concatenate((noise(600, 1), 1.5 * noise(600, 2)))
    (change,) = (found := levels_in(values, is_exact=is_exact)).changes
    assert change.index == change.earliest == change.latest == 600
    assert [(level.first, level.behind) for level in found.levels] == [(200, 600), (600, 1200)]


def test_an_exact_value_grows_from_zero() -> None:
    found = levels_in([1.0, 0.0, 0.0, 2.0], is_exact=True)
    assert [change.change_pct for change in found.changes] == [-100.0, math.inf] and len(found.levels) == 3


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [2.0] * 30])
def test_what_shows_nothing(values: list[float]) -> None:
    found = levels_in(values)
    assert not found.changes and (len(values) > 4 or found.reason)


def test_intervals_overlap_and_cover() -> None:
    for count in (4, 5, 9, 33, 200):
        intervals = list(seeded_intervals(count))
        assert (0, count) in intervals and len(intervals) == len(set(intervals)) <= 4 * count
        assert all(0 <= start < end <= count and end - start >= 4 for start, end in intervals)


def test_times_beyond_any_real_one_are_no_crash() -> None:
    levels = levels_in([1e-300] * 5 + [1e300] * 5)
    assert [change.index for change in levels.changes] == [5]
    assert levels_in([1e-300] * 5 + [1e300]).latest_pct == pytest.approx(1e306, rel=0.02)
