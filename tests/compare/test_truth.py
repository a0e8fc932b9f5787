"""Pairs of engines of which the truth is known: what corresponds is found, and what each change cost is told.

The figures for many engines are the benchmark's (``python -m tests.benchmarks --only compare``); here every change is
done once to small engines, so that a step of the alignment that breaks is seen.
"""

from __future__ import annotations

import math
from statistics import fmean

import pytest

from tests.compare.truth import changes as made
from tests.compare.truth.judged import causes_of, judged, judged_pair
from tests.compare.truth.pair import Pair, Score, distance_of, score_of
from tests.compare.truth.scenarios import CHANGES, OVERLAID, SWAPPED, TOLD, pairs_of
from trex.compare.plan_diff import PlanDiff

EVERY = (*CHANGES, *SWAPPED, *OVERLAID)
FULL = "both with ONNX origins"


def is_whole(pair: Pair) -> bool:
    """Every layer of both sides in exactly one true group, and the causes add up to the whole difference."""
    for side, plan in enumerate((pair.left, pair.right)):
        places = sorted(place for group in pair.groups for place in group[side])
        if places != list(range(len(plan.working_layers))):
            return False
    total = pair.right.total_runtime - pair.left.total_runtime
    return math.isclose(math.fsum(pair.causes.values()), total, abs_tol=1e-9)


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("change", EVERY)
def test_the_generator_is_consistent(change, told):
    for what, make in pairs_of(change, told, 2, 1):
        assert is_whole(make()), what


@pytest.mark.parametrize("change", EVERY)
def test_with_onnx_origins(change):
    for what, make in pairs_of(change, FULL, 4, 1):
        score, distance = judged_pair(make())
        assert min(score.precision, score.recall) > 0.98, what
        if change not in OVERLAID:
            assert distance < 0.02, what


@pytest.mark.parametrize("told", TOLD)
def test_with_less_evidence(told):
    total, distances = Score(0, 0, 0), list[float]()
    for change in EVERY:
        found = judged(change, told, 4, 1)
        total += found.score
        distances += found.distances if change not in OVERLAID else ()
    assert min(total.precision, total.recall) > 0.95
    assert fmean(distances) < 0.02


@pytest.mark.parametrize("change", ["merged", "layers dropped", "layers added"])
def test_ambiguous_changes_are_unexplained(change):
    """Myelin's products hide what they hold: the truth itself is then that nobody can tell."""
    (pair,) = [make() for what, make in pairs_of(change, "numbers given anew", 4, 1) if what == "denoiser 0"]
    told = causes_of(PlanDiff(pair.left, pair.right))
    for cause in (made.FUSION, made.LAYERS, made.UNEXPLAINED):
        assert told.get(cause, 0.0) == pytest.approx(pair.causes.get(cause, 0.0), abs=1e-9)
    assert abs(pair.causes[made.UNEXPLAINED]) > abs(pair.causes.get(made.FUSION, 0.0))


def test_scores_count_pairs_of_layers():
    true = [((0, 1), (0,)), ((2,), (1,)), ((3,), ())]
    assert score_of(true, true) == Score(3, 3, 3)
    found = score_of([((0,), (0,)), ((2, 3), (1,))], true)
    assert (found.hits, found.told, found.true) == (2, 3, 3)


def test_distances():
    assert distance_of({"a": 1.0, "b": -1.0}, {"a": 1.0, "b": -1.0}) == 0.0
    assert distance_of({"a": 0.5, "b": 0.5}, {"a": 1.0}) == 1.0
    assert distance_of({"a": 0.0}, {}) == 0.0


def test_repeated_gemms_are_not_shifted_by_swapped_adds():
    """Nine units of one shape: each product has its like in the next unit, and no name tells which is which."""
    (pair,) = [
        make()
        for what, make in pairs_of("sums in the other branch", "numbers given anew", 9, 1)
        if what == "denoiser 0"
    ]
    score, distance = judged_pair(pair)
    assert min(score.precision, score.recall) > 0.97 and distance < 0.02
