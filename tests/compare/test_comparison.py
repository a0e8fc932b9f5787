"""Whole comparisons: one engine twice, unlike models, every case of the catalog, the published story of ResNet-18."""

from __future__ import annotations

import importlib.util
import math

import pytest

from tests.synthetic import CASES
from trex.compare.causes import Cause
from trex.compare.comparison import Comparison, compare
from trex.compare.significance import Outcome
from trex.engine_plan import load, load_example
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan


def adds_up(found: Comparison) -> bool:
    total = math.fsum(step.difference_ms for step in found.waterfall.steps)
    return math.isclose(total, found.waterfall.difference_ms, rel_tol=1e-9, abs_tol=1e-12)


def test_one_engine_twice_differs_in_nothing():
    plan = load_example("resnet18-fp16")
    found = compare(plan, load_example("resnet18-fp16"))
    assert found.waterfall.difference_ms == 0.0 and adds_up(found)
    assert found.main.outcome is Outcome.SAME and found.main.is_one_run
    assert all(each.difference_ms == 0.0 for each in found.changes)
    assert {each.cause for each in found.changes} <= {Cause.SAME_KERNEL, Cause.UNEXPLAINED}
    assert compare(plan, plan).main.is_one_run


def test_unlike_models_say_what_share_matched():
    found = compare(load_example("resnet18-fp16"), load_example("transformer-fp16"))
    assert any("%" in note.message for note in found.notes)
    assert adds_up(found)


def test_without_a_profile_a_note_says_so():
    plan = load_example("resnet18-fp16")
    bare = EnginePlan(plan.engine)
    found = compare(bare, plan)
    assert "no-profile" in {note.code for note in found.notes}
    assert adds_up(found)
    assert found.main.outcome is Outcome.UNKNOWN


@pytest.mark.parametrize("name", [case.name for case in CASES.values() if not case.expect.error])
def test_every_case_with_itself_and_with_another(name, tmp_path):
    case = CASES[name]
    if any(importlib.util.find_spec(package) is None for package in case.needs):
        pytest.skip(f"needs {', '.join(case.needs)}")
    plan = load(case.write(tmp_path))
    for found in (compare(plan, plan), compare(plan, load_example("resnet18-int8"))):
        assert adds_up(found)
        assert found.parity.differences is not None and found.verdict
        assert sum(len(group.changes) for group in found.by_type) == len(found.changes)
        assert sum(len(group.changes) for group in found.by_module) == len(found.changes)
    assert compare(plan, plan).waterfall.difference_ms == 0.0


def a100(folder, name: str) -> EnginePlan:
    return load_plan(EnginePlan, str(folder / f"trt8.4-resnet18-a100-{name}"))


def test_the_published_story_of_resnet18(shared_engines):
    fp32, fp16, qat, residual, pooled = (
        a100(shared_engines, name) for name in ("fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap")
    )
    first = compare(fp32, fp16)
    assert first.main.outcome is Outcome.FASTER
    assert first.main.speedup == pytest.approx(2.3, abs=0.05)
    assert first.waterfall.of(Cause.PRECISION) < 0.9 * first.waterfall.difference_ms < 0.0
    second = compare(fp16, qat)
    assert second.main.outcome is Outcome.SLOWER
    assert second.waterfall.of(Cause.PRECISION) < 0.0 < second.waterfall.of(Cause.REFORMATS)
    third = compare(qat, residual)
    assert third.main.outcome is Outcome.FASTER
    assert third.waterfall.of(Cause.REFORMATS) < -0.15 and third.waterfall.of(Cause.FUSION) < -0.1
    fourth = compare(residual, pooled)
    assert fourth.main.outcome is Outcome.FASTER
    assert fourth.waterfall.of(Cause.REFORMATS) < 0.0
    removed = [each for each in fourth.changes if each.match.left and not each.match.right]
    assert len(removed) == 2
    assert all(adds_up(each) for each in (first, second, third, fourth))
