"""The search through conversions and small layers visits each layer once."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import chain, engine, layer, t
from trex.compare.matching.match_builder import MOST_NEIGHBORS, MOST_PASSED, MatchBuilder
from trex.core.layer import Layer
from trex.plan.engine_plan import EnginePlan


def small(name: str, reads: list[str], writes: str) -> Layer:
    return replace(layer(name, "PointWise", [t(each) for each in reads], [t(writes)]), tactic="k")


def ladder(rungs: int) -> EnginePlan:
    """A product, then diamonds of small layers, 2 to the power of their number ways through, then a product."""
    layers = [layer("first", "Convolution", [t("x")], [t("d0")])]
    for at in range(rungs):
        layers += [small(f"{side}{at}", [f"d{at}"], f"{side}{at}") for side in "ab"]
        layers.append(small(f"d{at}", [f"a{at}", f"b{at}"], f"d{at + 1}"))
    return EnginePlan(engine(*chain(*layers, layer("last", "Convolution", [t(f"d{rungs}")], [t("y")]))))


def test_each_layer_is_passed_once():
    plan = ladder(12)
    found = MatchBuilder(plan, plan)
    last = len(plan.working_layers) - 1
    assert found.matched_writers(last) == [0]
    assert found.matched_readers(0) == [last]
    assert found.writers(last) == [last - 1]


def test_a_distant_layer_is_no_neighbor():
    plan = ladder(MOST_PASSED)
    found = MatchBuilder(plan, plan)
    assert 0 not in found.matched_writers(len(plan.working_layers) - 1)


def test_the_first_readers_of_a_conversion_that_many_read():
    copy = layer("copy", "Reformat", [t("d")], [t("e")])
    many = [layer(f"reader{at}", "Convolution", [t("e")], [t(f"y{at}")]) for at in range(MOST_NEIGHBORS + 9)]
    plan = EnginePlan(engine(*chain(layer("first", "Convolution", [t("x")], [t("d")]), copy, *many)))
    found = MatchBuilder(plan, plan)
    assert found.readers(0) == list(range(2, MOST_NEIGHBORS + 2))
    assert found.writers(len(many) + 1) == [0]
