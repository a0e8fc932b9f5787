"""How much of a growth is the machine's, by unchanged kernels; what a faster machine or times of another run hide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import geometric_mean

from trex.compare.condition import Condition
from trex.compare.machine_shift import REPEATED
from trex.compare.plan_diff import PlanDiff
from trex.compare.run_settings import GPU, SMS, SettingSeverity
from trex.core.signed import signed
from trex.core.significant import significant
from trex.perf.performance import Performance
from trex.plan.query_contradictions import two_medians


def is_other_machine(diff: PlanDiff) -> bool:
    """By unchanged kernels, or by the names of the GPUs or their SMs, which need no kernel in common."""
    is_other_gpu = any(item.name in (GPU, SMS) for item in diff.parity.of(SettingSeverity.CRITICAL))
    return diff.is_other_machine or (is_other_gpu and diff.prediction is None)


def shared_growth(diff: PlanDiff, condition: Condition, left: float, right: float) -> str:
    """Why growth above the threshold is the machine's, in words; "" if it is not."""
    machine = diff.machine
    if (
        machine is None
        or not machine.is_shifted
        or not condition.is_within(left, on_one_machine(diff, condition, right))
    ):
        return ""
    return f"unchanged kernels changed as much ({signed(100.0 * machine.factor - 100.0)} %): another machine or clock?"


def hidden_growth(diff: PlanDiff, condition: Condition, left: float, right: float) -> str:
    """Which growth above the threshold a faster machine hides, or times of another run, in words; "" for none.

    The layers are measured in a run of their own: of other metrics, only a shift that exceeds what profiles of one
    machine repeat says something about that run.
    """
    machine, metric = diff.machine, condition.definition
    unshared = diff.unshared_growth if metric.by_machine and not metric.is_exact else None
    if unshared is not None and unshared.of_layers is not metric.of_layers:
        return unshared.note.message
    if words := _stated_growth(diff, condition, left, right):
        return words
    if machine is None or not machine.is_shifted or machine.factor >= 1.0:
        return ""
    if not metric.of_layers and -math.log(machine.factor) < math.log1p(REPEATED):
        return ""
    alone = on_one_machine(diff, condition, right)
    if condition.is_within(left, alone):
        return ""
    faster = f"unchanged kernels got faster ({signed(100.0 * machine.factor - 100.0)} %): another machine or clock?"
    return f"{faster} Without that {signed(100.0 * (alone / left - 1.0))} %" if left > 0.0 else faster


def _stated_growth(diff: PlanDiff, condition: Condition, left: float, right: float) -> str:
    """Growth above the threshold by the medians that trtexec printed of the same queries, in words; "" for none."""

    def ratio(runs: Sequence[Performance]) -> float:
        key = condition.definition.column
        medians = (two_medians(run.plan.query_times, run.plan.metadata, key) for run in runs)
        return geometric_mean([1.0 if both is None else both[0] / both[1] for both in medians])

    base, new = (by * ratio(runs) for by, (_, runs) in zip((left, right), diff.runs, strict=True))
    if condition.is_within(base, new):
        return ""
    words = f"by trtexec's own medians {significant(base, 4)} → {significant(new, 4)} ms"
    return f"{words} ({signed(100.0 * (new / base - 1.0))} %): these are two runs"


def on_one_machine(diff: PlanDiff, condition: Condition, right: float) -> float:
    """The new value without the factor of the machine; the value itself where the machine does not change it."""
    machine = diff.machine
    if machine is None or not condition.definition.by_machine or condition.definition.is_exact:
        return right
    return right * machine.correction if condition.definition.higher_is_better else right / machine.correction
