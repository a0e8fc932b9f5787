"""Templates of a rule of the advisor and of its test, which ``utils/new.py rule NAME`` fills in."""

from __future__ import annotations

from string import Template

RULE = Template('''\
"""One sentence: layers that are slower than they need to be.

What it finds: layers of type ``$camel``: the signature, as it stands in an engine's files.
Why it matters: what it costs, and how that is known.
What to try: an edit of the ONNX model, a place for Q/DQ, a builder or trtexec flag.
Does not apply: where it is expected, or where something else is the cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    """It may not raise, whatever the engine: no profile, unknown types, names only. Linear in the layers."""
    unknown = []
    for place in seen.of_type("$camel"):
        layer = seen.layers[place]
        if not layer.inputs:
            unknown.append(layer.index)
            continue
        at_stake = seen.stake([place], 0.5)
        share = 100 * sum(at_stake.values()) / seen.total_ms if seen.is_timed else 0.0
        if seen.is_timed and share < limits["share"]:
            continue
        yield Finding(
            f"{layer.name} takes twice the time it needs",
            (layer.index,),
            at_stake,
            "half of its time: what the same work takes without it (who says so)",
            (Evidence("time at stake", share, "%"),),
            ("trtexec --builderOptimizationLevel=5",),
            ("TensorRT Developer Guide: the section that says so",),
            "the layer's time in an engine built with it, at the same clocks",
            confidence=0.7,
        )
    if unknown:
        yield CannotTell(f"{len(unknown)} layers tell no inputs", "build with detailed verbosity", tuple(unknown))


RULE = Rule(
    "NEW001",  # the family's letters (trex rules lists them) and the next number
    "layers that are slow",
    Severity.WARNING,
    check,
    {"share": Limit(0.0, "%", "the least share of the engine's time that is worth telling")},
)
''')

RULE_TEST = Template('''\
"""The rule ``$name``."""

from __future__ import annotations

import pytest

from tests.factories import engine, layer, times
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.lint import Choice, Review, review


def reviewed(*layers, ms: float | None = 1.0) -> Review:
    """A review by this rule alone; each layer takes ``ms``."""
    plan = EnginePlan(engine(*layers))
    plan.times = times(plan.layers, *[ms] * len(plan.layers))
    return review(Performance(plan), Choice(select=("$name",)))


def test_what_it_finds_has_its_price() -> None:
    (found,) = reviewed(layer("slow", "$camel", ["x"], ["y"]), layer("other", "Pooling", ["y"], ["z"])).findings
    assert found.finding.layers == (0,)
    assert found.finding.at_stake == {0: pytest.approx(0.5)}  # half of 1 ms, by hand


def test_without_times_the_finding_stands() -> None:
    (found,) = reviewed(layer("slow", "$camel", ["x"], ["y"]), ms=None).findings
    assert found.finding.at_stake == {}


def test_other_layers_are_left_alone() -> None:
    assert reviewed(layer("other", "Pooling", ["x"], ["y"])).findings == ()


def test_what_it_cannot_tell() -> None:
    found = reviewed(layer("bare", "$camel", [], []))
    assert found.findings == () and len(found.unanswered) == 1
''')
