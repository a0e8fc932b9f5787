"""What one side's files alone may be, the other side contradicts."""

from __future__ import annotations

import pytest

from tests.raw_records import chain
from tests.rules.cases import plan_of
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.plan_diff import PlanDiff
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_units import TWO_RUNS

NAMES = "abcdefgh"


def plan(layer_ms: float | None, compute_ms: float, names: str = NAMES, step: float = 1e-4) -> EnginePlan:
    """Eight layers, or other ones, that take so long each, and 30 queries of one run."""
    times = None if layer_ms is None else dict.fromkeys(names, layer_ms)
    trace = {"computeMs": [compute_ms + step * (number % 7) for number in range(30)]}
    return plan_of(chain(*names), times, trace=trace)


def codes(base: EnginePlan, new: EnginePlan) -> list[str]:
    diff = PlanDiff(base, new)
    (result,) = judge(diff, [read_condition("compute>+3%")])
    assert (result.status is GateStatus.INCONCLUSIVE) == bool(diff.contradicted)
    return [note.message.partition(":")[0] for note in diff.contradicted if note.code == TWO_RUNS]


@pytest.mark.parametrize(
    ("base", "new", "side"),
    [
        (plan(1.0, 7.9), plan(1.0, 7.5), []),
        (plan(1.0, 7.9), plan(0.5, 3.9), []),
        (plan(1.0, 7.9), plan(1.0, 5.5), ["new"]),  # the times of a faster run next to the layers of this one
        (plan(1.0, 5.5), plan(1.0, 7.9), ["base"]),
        (plan(1.0, 7.9), plan(1.0, 11.4), ["new"]),  # layers of a faster run
        (plan(0.005, 0.041), plan(0.01, 0.045), []),  # timing a layer costs up to 8 µs
        (plan(1.0, 7.9), plan(None, 3.9), []),
    ],
)
def test_layers_and_compute_of_two_runs(base: EnginePlan, new: EnginePlan, side: list[str]) -> None:
    assert codes(base, new) == side


def test_the_samples_of_another_engine() -> None:
    base = plan(None, 7.9)
    assert codes(base, plan(None, 7.9, NAMES[:6])) == ["new"]
    assert codes(base, plan(None, 7.9)) == [] and codes(base, plan(None, 7.9, NAMES[:6], 2e-4)) == []
