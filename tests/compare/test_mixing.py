"""The mixture of least cost: exact on chains and trees, never worse than one label for all."""

from __future__ import annotations

import itertools
import math
from random import Random

import pytest

from trex.compare.mixing import Border, Mixture


def made(random: Random, units: int, labels: int, links: list[tuple[int, int]]) -> Mixture:
    costs = [[random.random() for _ in range(labels)] for _ in range(units)]
    borders = []
    for first, second in links:
        rows = [
            tuple(0.0 if one == other else 0.6 * random.random() for other in range(labels)) for one in range(labels)
        ]
        borders.append(Border(first, second, tuple(rows)))
    return Mixture(costs, borders)


def best(mixture: Mixture) -> float:
    labels = range(len(mixture.units[0]))
    return min(mixture.cost(choice) for choice in itertools.product(labels, repeat=len(mixture.units)))


@pytest.mark.parametrize("seed", range(20))
def test_chains_are_exact(seed):
    random = Random(seed)
    mixture = made(random, 8, 3, [(at, at + 1) for at in range(7)])
    assert mixture.cost(mixture.solve()) == pytest.approx(best(mixture), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_trees_are_exact(seed):
    random = Random(seed)
    mixture = made(random, 8, 2, [(random.randrange(at), at) for at in range(1, 8)])
    assert mixture.cost(mixture.solve()) == pytest.approx(best(mixture), abs=1e-12)


def test_residual_blocks_come_close_and_are_never_worse_than_one_for_all():
    gaps = []
    for seed in range(60):
        random = Random(seed)
        mixture = made(random, 10, 2, [*((at, at + 1) for at in range(9)), (0, 2), (2, 4), (4, 6), (6, 8)])
        found = mixture.cost(mixture.solve())
        assert found <= min(mixture.cost([label] * 10) for label in range(2)) + 1e-12
        gaps.append(found / best(mixture) - 1.0)
    assert sum(gap < 1e-9 for gap in gaps) >= 54
    assert max(gaps) < 0.1


def test_a_label_that_a_unit_cannot_have_is_never_taken():
    border = Border(0, 1, ((0.0, 9.0), (9.0, 0.0)))
    mixture = Mixture([[1.0, math.inf], [1.0, 0.1]], [border])
    assert mixture.solve() == [0, 0]


def test_ties_keep_the_first():
    assert Mixture([[1.0, 1.0], [2.0, 2.0]], [Border(0, 1, ((0.0, 0.0), (0.0, 0.0)))]).solve() == [0, 0]


def test_nothing_to_choose():
    assert Mixture([], []).solve() == []
