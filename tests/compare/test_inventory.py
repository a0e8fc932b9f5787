"""Layers by type: counts and sums of both sides, and where layers went."""

from __future__ import annotations

import math

from tests.compare.test_causes import copy, plan, product
from tests.factories import layer
from tests.simulated_examples import load_simulated
from trex.compare.causes import changes_of
from trex.compare.inventory import LayerCategory, layer_categories
from trex.compare.matching.match import Alignment, Match
from trex.compare.plan_diff import PlanDiff
from trex.core.layer import Layer


def by_type(each: Layer) -> str:
    return each.type


def test_counts_and_sums_are_those_of_the_engines():
    found = PlanDiff(load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual"))
    kinds = layer_categories(found.left, found.right, found.changes, by_type)
    assert sum(kind.left_count for kind in kinds) == len(found.left.working_layers)
    assert sum(kind.right_count for kind in kinds) == len(found.right.working_layers)
    differences = [kind.difference_ms for kind in kinds if kind.difference_ms is not None]
    assert len(differences) == len(kinds)
    assert math.isclose(math.fsum(differences), found.right.layers_ms - found.left.layers_ms)
    for kind, difference_ms in zip(kinds, differences, strict=True):
        assert math.isclose(math.fsum(reason.difference_ms for reason in kind.reasons), difference_ms, abs_tol=1e-5)
    assert abs(differences[0]) >= abs(differences[-1])


def one(kind: str, left: list[Layer], right: list[Layer], *matches: Match) -> LayerCategory:
    sides = plan(left, [1.0] * len(left)), plan(right, [0.5] * len(right))
    changes = changes_of(Alignment(*sides, matches))
    return next(each for each in layer_categories(*sides, changes, by_type) if each.name == kind)


def test_a_fused_layer_is_not_a_faster_layer():
    pooling = layer("p", "Pooling")
    found = one("Pooling", [product("a"), pooling], [product("a + p")], Match((0, 1), (0,), "", 1.0))
    assert (found.left_count, found.right_count, found.difference_ms) == (1, 0, -1.0)
    assert [reason.words for reason in found.reasons] == ["p: fused into a + p (Convolution)"]
    back = one("Pooling", [product("a + p")], [product("a"), pooling], Match((0,), (0, 1), "", 1.0))
    assert [reason.words for reason in back.reasons] == ["p: split off from a + p (Convolution)"]
    assert back.difference_ms == 0.5


def test_a_removed_layer():
    found = one(
        "Reformat", [product("a"), copy()], [product("a")], Match((0,), (0,), "", 1.0), Match((1,), (), "", 1.0)
    )
    assert [reason.words for reason in found.reasons] == ["r: reformat removed"]


def test_untimed_layers_are_counted():
    sides = plan([product("a")], [None]), plan([product("a")], [1.0])
    (kind,) = layer_categories(*sides, changes_of(Alignment(*sides, (Match((0,), (0,), "", 1.0),))), by_type)
    assert (kind.unknown, kind.left_ms, kind.right_ms, kind.difference_ms) == (1, None, 1.0, None)
    assert kind.reasons == ()


def test_what_a_match_changed_is_cut_in_each_of_its_types():
    size = 50
    left, right = (
        [layer(f"l{number}", f"Type{number}", tactic=f"{side}{number}_" + "k" * 100) for number in range(size)]
        for side in "ab"
    )
    sides = plan(left, [1.0] * size), plan(right, [0.5] * size)
    changes = changes_of(Alignment(*sides, (Match(tuple(range(size)), tuple(range(size)), "", 1.0),)))
    kinds = layer_categories(*sides, changes, by_type)
    assert len(changes[0].words) > 10_000
    assert len(kinds) == size and all(len(kind.reasons[0].words) < 1100 for kind in kinds)
