"""A rule of ``trex lint``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="rules/builtin",
    plug='''\
"""One sentence: layers that are slower than they need to be.

What it finds: layers of type ``$camel``: the signature, as it is in an engine's files.
Why it matters: what it costs, and how that is known.
What to try: an edit of the ONNX model, a place for Q/DQ, a builder or trtexec flag.
Does not apply: where it is expected, or where something else is the cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import DETAILED_HINT, cost_of, main_operation


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    """It may not raise, whatever the engine: no profile, unknown types, names only. Linear in the layers."""
    unknown = []
    for position in engine.of_type("$camel"):
        layer = engine.layers[position]
        if not layer.inputs:
            unknown.append(position)
            continue
        savings = engine.savings([position], 0.5)
        if engine.is_timed and not engine.takes_share(sum(savings.values()), limits["share"]):
            continue
        yield Finding(
            f"{main_operation(layer)} takes twice the time it needs: {cost_of([position], engine)}",
            layers=(layer.index,),
            savings=savings,
            formula="half of its time: how long the same work takes without it (source)",
            evidence=(Evidence("time", engine.times[position], "ms"),),
            fix=("trtexec --builderOptimizationLevel=5",),
            documentation=("TensorRT Developer Guide: the section with the fix",),
            how_to_check="the layer is faster in the new engine, at the same clocks",
            confidence=0.7,
        )
    if unknown:
        yield Unchecked(f"{len(unknown)} layers have no inputs", DETAILED_HINT, engine.indexes(unknown))


RULE = Rule(
    "NEW001",  # the family's letters (trex rules lists them) and the next number
    "layers that are slow",
    Severity.WARNING,
    check,
    {"share": RuleLimit(0.0, "%", "least share of the engine's time that could be saved")},
)
''',
    test='''\
"""The rule ``$name``."""

from __future__ import annotations

import pytest

from tests.factories import layer, t
from tests.rules.cases import analyzed, finding, only_unchecked, reports
from tests.rules.planting import Parts, like, pair
from trex.core.tensor import Tensor

RULE = "$name"


def test_a_finding_has_savings() -> None:
    engine = analyzed(layer("slow", "$camel", ["x"], ["y"]), layer("other", "Pooling", ["y"], ["z"]), ms=[1.0, 1.0])
    report = finding(RULE, engine)
    assert report.layers == (0,)
    assert report.savings == {0: pytest.approx(0.5)}  # half of 1 ms, by hand


def test_without_times_there_are_no_savings() -> None:
    assert finding(RULE, analyzed(layer("slow", "$camel", ["x"], ["y"]))).savings == {}


def test_other_layers_are_sound() -> None:
    assert reports(RULE, analyzed(layer("other", "Pooling", ["x"], ["y"]))) == []


def test_layers_without_inputs_are_unchecked() -> None:
    assert only_unchecked(RULE, analyzed(layer("bare", "$camel", [], []))).layers == (0,)


# ---- The defect that tests plant into engines, and its sound twin


def planted(x: Tensor, bad: bool) -> Parts:
    """(layer, its share of the engine's time) of the layers that are inserted after tensor ``x``."""
    made = layer("slow901", "$camel" if bad else "SoftMax", [x], [like(x, "slow902")])
    return [(made, 0.05), (layer("next902", "SoftMax", [t("slow902", x.shape)], [t("y903", x.shape)]), 0.05)]


PLANTER = pair(planted)
''',
    related=("tests/rules/test_every_rule.py", "tests/rules/test_planting.py"),
)
