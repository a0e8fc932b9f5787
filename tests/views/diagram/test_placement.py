"""Positions along a row."""

from __future__ import annotations

import random
from itertools import pairwise

from trex.views.diagram.placement import settled


def test_wishes_that_do_not_conflict_are_granted():
    assert settled([0.0, 50.0], [1, 1], [20]) == [0.0, 50.0]


def test_equals_give_way_equally_and_the_weighty_hardly():
    assert settled([0.0, 0.0], [1, 1], [20]) == [-10.0, 10.0]
    heavy, light = settled([0.0, 0.0], [1e6, 1], [20])
    assert abs(heavy) < 0.001 and abs(light - 20) < 0.001


def test_gaps_are_kept_whatever_the_wishes():
    source = random.Random(5)
    for _ in range(200):
        count = source.randint(1, 12)
        gaps = [source.uniform(1, 50) for _ in range(count - 1)]
        indexes = settled([source.uniform(-99, 99) for _ in range(count)], [source.uniform(0.1, 9)] * count, gaps)
        assert all(b - a >= gap - 1e-6 for (a, b), gap in zip(pairwise(indexes), gaps))


def test_no_better_place_by_moving_a_whole_block():
    wishes, weights, gaps = [3.0, 1.0, 2.0, 40.0], [1.0, 2.0, 1.0, 1.0], [5.0, 5.0, 5.0]

    def cost(indexes):
        return sum(w * (p - wish) ** 2 for p, wish, w in zip(indexes, wishes, weights))

    indexes = settled(wishes, weights, gaps)
    for shift in (-0.5, 0.5):
        assert cost(indexes) < cost([index + shift for index in indexes[:3]] + indexes[3:])
