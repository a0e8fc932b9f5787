"""How right: how many planted defects the advisor's rules find, and how often they find what is none.

Run ``python -m tests.benchmarks --only accuracy`` (a few minutes).

How it measures
    ``tests/rules/planted.py`` makes three kinds of engines: clean ones, a bundled example and generated networks, each
    with other sizes, places and times for every seed. Into each the planter of a rule (``tests/rules/planters``)
    plants the rule's defect, and into another copy what looks like it and is sound. A defect is found when the rule
    tells a finding at a planted layer, or at all where it is one of the whole engine. A false alarm is a finding in a
    clean engine, at a sound twin, or elsewhere than the defect, unless the engine had it before anything was planted.
    Precision = found / (found + false alarms), recall = found / planted. The table shows the lower of both.
    Defects are planted as the rules' authors understand them; how often they occur in the field is not in it.

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
    """One line for each rule, and one that tells of rules without a planter."""
    from tests.rules.planted import accuracy
    from tests.rules.planters import PLANTERS, WITHOUT
    from trex.rules.rule import RULES

    plugs = sorted(RULES.values(), key=lambda plug: plug.value.code)
    for plug in plugs:
        planter = PLANTERS.get(plug.name)
        name = f"{plug.value.code} {plug.name}"
        if planter is None:
            yield Line(name, None, "", LEAST, WITHOUT.get(plug.name, "nothing is planted for it"), is_least=True)
            continue
        counts = accuracy(plug.value, planter, seeds)
        aside = f"precision {counts.precision:.3f}, recall {counts.recall:.3f}; {counts.hits + counts.misses} planted, "
        aside += f"{counts.misses} missed, {counts.alarms} false"
        yield Line(name, min(counts.precision, counts.recall), "", LEAST, aside, is_least=True)
