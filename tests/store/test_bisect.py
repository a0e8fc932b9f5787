"""Bisection: the right value, with few runs, noise, and values that can't be run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trex.store.bisect import Bisection


def search(
    count: int,
    culprit: int,
    gap: float,
    noise: float,
    seed: int = 0,
    failing: tuple[int, ...] = (),
    exact: bool = False,
) -> tuple[Bisection, int]:
    random = np.random.default_rng(seed)

    def run(index: int) -> float:
        return math.exp((gap if index >= culprit else 0.0) + random.normal(0.0, noise))

    measured = {0: [run(0)], count - 1: [run(count - 1)]}
    skipped: list[int] = []
    runs = 0
    while True:
        found = Bisection([str(index) for index in range(count)], measured, skipped=skipped, is_exact=exact)
        following = found.next
        if following is None:
            return found, runs
        assert following not in skipped
        if following in failing:
            skipped.append(following)
            continue
        measured.setdefault(following, []).append(run(following))
        runs += 1
        assert runs < 300


@pytest.mark.parametrize("culprit", range(1, 33, 3))
def test_a_clear_change_takes_a_binary_search(culprit: int) -> None:
    found, runs = search(33, culprit, 0.2, 0.0, exact=True)
    assert found.culprits == (culprit,) and runs <= 6 and found.confidence > 0.999
    states = [row.state for row in found.rows()]
    assert states[0] == "good" and states[-1] == "bad" and found.runs_left == 0


def test_noise_takes_more_runs_and_is_right() -> None:
    """A change of three times the noise, either way: at least 9 of 10 right."""
    results = [search(32, 1 + seed * 2 % 31, (-1) ** seed * 0.03, 0.01, seed) for seed in range(20)]
    right = sum((1 + seed * 2 % 31) in found.culprits for seed, (found, _) in enumerate(results))
    assert right >= 18
    assert all(found.confidence >= 0.99 for found, _ in results)
    assert np.mean([runs for _, runs in results]) > 6


def test_values_that_fail_are_named_with_the_culprit() -> None:
    found, _ = search(16, 8, 0.2, 0.002, failing=(6, 7, 8))
    assert found.culprits == (6, 7, 8, 9) and found.confidence > 0.99
    assert [found.rows()[index].state for index in (6, 7, 8)] == ["skipped"] * 3


def test_if_all_between_fail_it_ends() -> None:
    found, runs = search(5, 2, 0.2, 0.002, failing=(1, 2, 3))
    assert runs == 0 and found.culprits == (1, 2, 3, 4) and found.next is None


def test_a_third_level_is_said() -> None:
    measured = {0: [1.0], 3: [1.5], 6: [1.2]}
    assert Bisection([str(index) for index in range(7)], measured, is_exact=True).neither == (3,)


def test_neighbors_need_no_run() -> None:
    found, runs = search(2, 1, 0.1, 0.0, exact=True)
    assert found.culprits == (1,) and found.is_found and runs == 0
