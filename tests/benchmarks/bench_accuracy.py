"""How accurate: how many planted defects the rules find, and how many of their findings are wrong.

Run ``python -m tests.benchmarks --only accuracy`` (a few minutes).

How it measures
    ``tests/rules/planting.py`` makes three kinds of engines: clean ones, a bundled example and generated networks, each
    with other sizes, positions and times for every seed. The ``PLANTER`` in a rule's test file plants the rule's defect
    into one copy, and something similar that is sound into another. A defect is found when the rule reports a finding
    at a planted layer, or at all if it is one of the whole engine. A false alarm is a finding in a clean engine, at a
    sound twin, or elsewhere than the defect, unless the engine had it before anything was planted. Precision = found /
    (found + false alarms), recall = found / planted. The table shows the lower of both. Defects are planted as the
    rules' authors understand them; how often they occur in the field is not in it.

Targets
    Precision and recall of every rule 0.95.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks.table import Line, Part

SEEDS = 20
LEAST = 0.95


def parts(seeds: int) -> list[Part]:
    """What is measured."""
    return [("accuracy of rules", lambda: rules(seeds))]


def rules(seeds: int) -> Iterator[Line]:
    """One line for each rule."""
    from tests.rules.planting import accuracy, planter_of
    from trex.rules.rule import RULES

    for plug in sorted(RULES.values(), key=lambda plug: plug.value.code):
        counts = accuracy(plug.value, planter_of(plug.name), seeds)
        aside = f"precision {counts.precision:.3f}, recall {counts.recall:.3f}; {counts.hits + counts.misses} planted, "
        aside += f"{counts.misses} missed, {counts.alarms} false"
        name = f"{plug.value.code} {plug.name}"
        yield Line(name, min(counts.precision, counts.recall), "", LEAST, aside, is_least=True)
