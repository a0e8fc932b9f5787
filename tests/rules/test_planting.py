"""Planted defects: every rule finds what was planted for it, and nothing where nothing was."""

from __future__ import annotations

from random import Random

import pytest

from tests.rules.planting import GROUNDS, accuracy, clean, planter_of
from trex.perf.performance import Performance
from trex.rules.lint import lint
from trex.rules.rule import RULES

SEEDS = 2


@pytest.mark.parametrize("name", RULES.names)
def test_a_planted_defect_is_found_and_nothing_else(name: str) -> None:
    counts = accuracy(RULES.load(name).value, planter_of(name), SEEDS)
    assert counts.hits and counts.precision >= 0.95 and counts.recall >= 0.95, counts


@pytest.mark.parametrize("seed", range(4))
def test_a_clean_engine_has_no_finding(seed: int) -> None:
    ground = clean(Random(seed))
    result = lint(Performance(ground.plan(), ground.device))
    assert [(finding.code, finding.message) for finding in result.findings] == [] and result.failed == ()


@pytest.mark.parametrize("make", GROUNDS)
def test_grounds_are_the_same_for_the_same_seed_and_have_room(make) -> None:
    one, other = make(Random(7)), make(Random(7))
    assert one.layers == other.layers and one.ms == other.ms
    assert len(one.edges()) > 3 and one.plan().is_profiled
