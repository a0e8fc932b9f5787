"""Layers of two engines that came from the same operators."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.raw_records import layer
from tests.rules.baselines import conv, engine, pair, timed
from trex.engine_plan import load_example
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.baseline_match import BaselineMatch
from trex.rules.finding import Finding, Severity
from trex.rules.rule import RULES


def analyzed(here: EnginePlan, there: EnginePlan | None = None) -> AnalyzedEngine:
    return AnalyzedEngine(Performance(here), there)


def match_of(here: EnginePlan, there: EnginePlan) -> BaselineMatch:
    match = analyzed(here, there).baseline_match
    assert match is not None
    return match


def test_groups_hold_what_shares_an_operator():
    fused = engine([conv("/a/Conv + /a/Relu", "x", "t"), conv("/b/Conv", "t", "y")])
    split = engine(
        [conv("/a/Conv", "x", "s"), layer("/a/Relu", inputs=["s"], outputs=["t"]), conv("/b/Conv", "t", "y")]
    )
    groups = match_of(split, fused).groups
    assert [(group.here, group.there) for group in groups] == [((0, 1), (0,)), ((2,), (1,))]
    assert all(math.isnan(group.lost_ms) for group in groups)


def test_a_reformat_belongs_to_the_layer_it_serves():
    name = "Reformatting CopyNode for Input Tensor 0 to /a/Conv"
    copied = engine([layer(name, "Reformat", ["x"], ["s"]), conv("/a/Conv", "s", "y")], {name: 0.25, "/a/Conv": 1.0})
    (group,) = match_of(copied, engine([conv("/a/Conv", "x", "y")], {"/a/Conv": 1.0})).groups
    assert group.here == (0, 1) and group.lost_ms == pytest.approx(0.25)
    assert match_of(copied, copied).kernels(group)[0] == [1]


def test_an_operator_of_the_same_name_with_other_weights_is_another():
    (group,) = match_of(timed(1.0, 1.0), timed(1.0, 1.0, count=64)).groups
    assert group.here == (0,)


def test_an_engine_against_itself_has_every_layer_and_no_loss():
    plan = load_example("transformer-fp16")
    found = match_of(plan, plan)
    assert sum(len(group.here) for group in found.groups) == len(plan.layers)
    assert all(group.here == group.there for group in found.groups)
    assert not any(found.is_slower(group) or found.loss(group) for group in found.groups)


def test_a_loss_is_spread_over_the_layers_in_proportion():
    here = engine([*pair()[:1], layer("/a/Conv/copy", inputs=["t"], outputs=["y"])])
    assert match_of(here, here).loss(match_of(here, here).groups[0]) == {}
    found = match_of(timed(1.0, 3.0), timed(1.0, 2.0))
    assert [found.loss(group) for group in found.groups] == [{}, {1: pytest.approx(1.0)}]


def test_two_devices_are_named():
    assert match_of(timed(1, 1, device="A"), timed(1, 1, device="B")).other_device == "A and B"
    assert match_of(timed(1, 1, device="A"), timed(1, 1)).other_device == ""
    assert analyzed(timed(1, 1)).baseline_match is None


def as_predicted(plan):
    """The same times, as if they were predicted."""
    return EnginePlan(plan.engine, plan.layer_times, metadata=replace(plan.metadata, simulated=True))


def test_findings_on_two_predictions_are_notes_that_say_so():
    here, there = as_predicted(timed(1.0, 3.0)), as_predicted(timed(1.0, 2.0))
    found = match_of(here, there)
    assert found.is_predicted and found.not_comparable == ""
    assert found.is_slower(found.groups[1])
    finding = Finding("b takes longer", (1,), {1: 1.0}, confidence=0.9, how_to_check="a run", severity=Severity.WARNING)
    qualified = found.qualified(finding)
    assert qualified.message == "b takes longer (predicted, not measured)" and qualified.severity is Severity.NOTE
    assert qualified.confidence <= 0.5 and qualified.how_to_check == "measured on a GPU: a run"
    assert any("predicted" in str(each.value) for each in qualified.evidence)
    assert match_of(timed(1.0, 3.0), timed(1.0, 2.0)).qualified(finding) is finding


@pytest.mark.parametrize("is_here", [True, False])
def test_a_prediction_and_a_measurement_are_not_comparable(is_here):
    real, guess = timed(1.0, 3.0), as_predicted(timed(1.0, 2.0))
    found = match_of(guess, real) if is_here else match_of(real, guess)
    assert not found.is_predicted and not any(map(found.is_slower, found.groups))
    assert not any(map(found.loss, found.groups))
    what = "the engine is predicted and the baseline" if is_here else "the baseline is predicted and the engine"
    assert found.not_comparable == f"{what} measured"


def test_other_devices_are_not_comparable():
    assert (
        match_of(timed(1, 1, device="A"), timed(1, 1, device="B")).not_comparable
        == "they ran on different devices, A and B"
    )


@pytest.mark.parametrize("name", [plug.name for plug in RULES.values() if plug.value.code.startswith("DIFF")])
def test_no_rule_takes_predicted_times_for_measured_ones(name):
    """Whatever it finds of two examples, which are simulated, says so, or rests on no time."""
    rule = RULES[name].value
    first, *others = (load_example(f"resnet18-{each}") for each in ("int8-residual", "int8", "fp16"))
    for there in others:
        for seen in (analyzed(first, there), analyzed(there, first)):
            for each in rule.check(seen, {key: limit.default for key, limit in rule.limits.items()}):
                if isinstance(each, Finding) and each.savings:
                    assert each.severity is Severity.NOTE and "(predicted, not measured)" in each.message
