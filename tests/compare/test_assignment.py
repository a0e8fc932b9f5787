"""The cheapest assignment: exact on chains and trees, never worse than one engine for all groups."""

from __future__ import annotations

import itertools
import math
from random import Random

import pytest

from trex.compare.assignment import AssignmentProblem, GroupBorder


def problem_of(random: Random, groups: int, engines: int, links: list[tuple[int, int]]) -> AssignmentProblem:
    costs = [[random.random() for _ in range(engines)] for _ in range(groups)]
    borders = []
    for first, second in links:
        rows = [
            tuple(0.0 if one == other else 0.6 * random.random() for other in range(engines)) for one in range(engines)
        ]
        borders.append(GroupBorder(first, second, tuple(rows)))
    return AssignmentProblem(costs, borders)


def best(problem: AssignmentProblem) -> float:
    engines = range(len(problem.groups[0]))
    return min(problem.cost(choice) for choice in itertools.product(engines, repeat=len(problem.groups)))


@pytest.mark.parametrize("seed", range(20))
def test_chains_are_exact(seed):
    random = Random(seed)
    problem = problem_of(random, 8, 3, [(at, at + 1) for at in range(7)])
    assert problem.cost(problem.solve()) == pytest.approx(best(problem), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_trees_are_exact(seed):
    random = Random(seed)
    problem = problem_of(random, 8, 2, [(random.randrange(at), at) for at in range(1, 8)])
    assert problem.cost(problem.solve()) == pytest.approx(best(problem), abs=1e-12)


def test_residual_blocks_are_nearly_optimal():
    gaps = []
    for seed in range(60):
        random = Random(seed)
        problem = problem_of(random, 10, 2, [*((at, at + 1) for at in range(9)), (0, 2), (2, 4), (4, 6), (6, 8)])
        found = problem.cost(problem.solve())
        assert found <= min(problem.cost([label] * 10) for label in range(2)) + 1e-12
        gaps.append(found / best(problem) - 1.0)
    assert sum(gap < 1e-9 for gap in gaps) >= 53
    assert max(gaps) < 0.12


def test_an_unknown_time_is_never_chosen():
    border = GroupBorder(0, 1, ((0.0, 9.0), (9.0, 0.0)))
    problem = AssignmentProblem([[1.0, math.inf], [1.0, 0.1]], [border])
    assert problem.solve() == [0, 0]


def test_ties_keep_the_first():
    assert AssignmentProblem([[1.0, 1.0], [2.0, 2.0]], [GroupBorder(0, 1, ((0.0, 0.0), (0.0, 0.0)))]).solve() == [0, 0]


def test_nothing_to_choose():
    assert AssignmentProblem([], []).solve() == []
