"""Planted defects: every rule finds what was planted for it, and nothing where nothing was."""

from __future__ import annotations

from random import Random

import pytest

from tests.rules.planted import GROUNDS, accuracy, clean
from tests.rules.planters import PLANTERS, WITHOUT
from trex.perf.performance import Performance
from trex.rules.lint import review
from trex.rules.rule import RULES

SEEDS = 2


@pytest.mark.parametrize("name", RULES.names)
def test_every_rule_has_a_planter_or_says_why_not(name: str) -> None:
    assert (name in PLANTERS) != (name in WITHOUT)


def test_no_planter_is_of_a_rule_that_is_gone() -> None:
    assert {*PLANTERS, *WITHOUT} <= set(RULES.names)


@pytest.mark.parametrize("name", PLANTERS)
def test_what_is_planted_is_found_and_nothing_else(name: str) -> None:
    counts = accuracy(RULES.load(name).value, PLANTERS[name], SEEDS)
    assert counts.hits and counts.precision >= 0.95 and counts.recall >= 0.95, counts


@pytest.mark.parametrize("seed", range(4))
def test_a_clean_engine_has_no_finding(seed: int) -> None:
    ground = clean(Random(seed))
    found = review(Performance(ground.plan(), ground.device))
    assert [(each.code, each.finding.message) for each in found.findings] == [] and found.failed == ()


@pytest.mark.parametrize("make", GROUNDS)
def test_grounds_are_the_same_for_the_same_seed_and_have_room(make) -> None:
    one, other = make(Random(7)), make(Random(7))
    assert one.layers == other.layers and one.ms == other.ms
    assert len(one.edges()) > 3 and one.plan().is_profiled
