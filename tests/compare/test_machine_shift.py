"""The shift common to unchanged kernels: found, with its interval, and kept out of causes, verdicts and predictions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.compare.predicted import predicted
from tests.compare.profiled import kernel, profiled
from trex.compare.best_of_each import best_of_each
from trex.compare.causes import Cause
from trex.compare.layer_noise import LayerTrend, layer_trends
from trex.compare.machine_shift import NAME, machine_shift_of
from trex.compare.plan_diff import PlanDiff
from trex.compare.run_settings import SettingSeverity
from trex.compare.series import EngineSeries
from trex.compare.significance import SpeedOutcome
from trex.compare.waterfall import MACHINE
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.document import comparison_document, on_one_screen
from trex.views.document import Detail

SLOW = "trt8.6-controlnet-slow-run"


def network(times: Sequence[float], types: str = "", name: str = "engine") -> EnginePlan:
    """A chain of convolutions; types: a letter per layer, ``8`` for INT8, else FP16, with another kernel each."""
    layers = []
    for at in range(len(times)):
        is_int8 = types[at : at + 1] == "8"
        made = kernel([f"/c{at}/Conv"], f"x{at}", f"x{at + 1}", type="INT8" if is_int8 else "FP16")
        layers.append(replace(made, tactic="k8" if is_int8 else "k16"))
    return profiled(layers, times, name)


def scattered(factor: float, sigma: float, seed: int, count: int = 20) -> PlanDiff:
    generator = np.random.default_rng(seed)
    base = generator.uniform(0.01, 0.2, count)
    return PlanDiff(
        network(base.tolist()), network((base * factor * np.exp(sigma * generator.standard_normal(count))).tolist())
    )


def test_the_interval_contains_the_shift_in_nineteen_of_twenty():
    inside = 0
    for seed in range(200):
        found = scattered(1.3, 0.05, seed).machine
        assert found is not None
        inside += found.low <= 1.3 <= found.high
    assert inside >= 184


def test_equal_machines_have_no_shift():
    shifted = sum(scattered(1.0, 0.05, seed).machine.is_shifted for seed in range(200))  # type: ignore[union-attr]
    assert shifted <= 16
    assert not any(scattered(1.0, 0.05, seed).is_other_machine for seed in range(200))


def test_swapping_inverts_it():
    found = scattered(1.5, 0.05, 1)
    one, other = found.machine, PlanDiff(found.right, found.left).machine
    assert one is not None and other is not None
    assert one.factor * other.factor == pytest.approx(1.0) and one.low * other.high == pytest.approx(1.0)


def test_a_minority_of_the_time_does_not_move_it():
    times = [0.1] * 20
    other = [ms * (4.0 if at < 8 else 1.0) for at, ms in enumerate(times)]
    found = PlanDiff(network(times), network(other)).machine
    assert found is not None and found.factor == pytest.approx(1.0) and not found.is_shifted


@pytest.mark.parametrize("count, long", [(5, 0.1), (20, 100.0)])
def test_too_few_kernels_show_nothing(count, long):
    """Five, or twenty of which one takes nearly all of the time."""
    times = [long, *[0.1] * (count - 1)]
    assert PlanDiff(network(times), network([2.0 * ms for ms in times])).machine is None


def test_kernels_that_are_not_named_show_nothing():
    plans = [network([0.1 * factor] * 20) for factor in (1, 2)]
    for plan in plans:
        plan.working_layers = tuple(replace(layer, tactic="") for layer in plan.working_layers)
    assert machine_shift_of(PlanDiff(*plans).changes) is None


def test_a_small_shift_is_a_cause_of_its_own():
    """Twelve kernels stay, four become INT8 and halve; the machine takes 5 % longer for all of them."""
    base, new = [0.1] * 16, [0.1 * 1.05] * 12 + [0.05 * 1.05] * 4
    found = PlanDiff(network(base), network(new, "." * 12 + "8" * 4))
    steps = {step.name: step.difference_ms for step in found.waterfall.steps}
    assert steps[MACHINE] == pytest.approx((1.2 + 0.2) * 0.05)
    assert steps[Cause.PRECISION.value] == pytest.approx(-0.2)
    assert steps[Cause.SAME_KERNEL.value] == pytest.approx(0.0, abs=1e-12)
    assert math.fsum(steps.values()) == pytest.approx(found.waterfall.difference_ms, abs=1e-12)
    (row,) = [each for each in found.parity.differences if each.name == NAME]
    assert (row.severity, row.right) == (SettingSeverity.MINOR, "1.05× as long") and not found.withheld
    trends = layer_trends(found.changes, found.machine).of
    assert trends == (LayerTrend.UNCHANGED,) * 12 + (LayerTrend.FASTER,) * 4


def test_a_large_shift_withholds_everything_that_follows():
    base, new = [0.1] * 16, [0.21] * 12 + [0.15] * 4
    found = PlanDiff(network(base, name="fp16"), network(new, "." * 12 + "8" * 4, "int8"))
    assert found.withheld.startswith(
        "The machines or their clocks differ: 12 unchanged kernels take 2.10× as long in new"
    )
    assert found.verdicts[1] == "Sum of layer times 1.6 → 3.12 ms (+95.0 %): no speed-up and no causes follow."
    assert {change.cause for change in found.changes} == {Cause.WITHHELD}
    assert {step.name for step in found.waterfall.steps} == {MACHINE, Cause.WITHHELD.value}
    assert found.parity.is_comparable is False
    shown = on_one_screen(comparison_document(found, Detail(5, True)))
    text = " ".join(sentence for part in shown.sections for sentence in part.statements)
    assert text.startswith("The machines or their clocks differ") and "INT8" not in text
    assert not {"Why", "Operations", "Best of each"} & {part.title for part in shown.sections}
    for part in shown.sections:
        assert not any("cause" in (column.name for column in table.columns) for table in part.tables)
    with pytest.raises(TrexError, match="machines or their clocks differ"):
        best_of_each(EngineSeries(found.left, [found.right]))


def test_a_prediction_is_no_machine():
    """A simulated engine beside a measured one: what differs is the prediction's error."""
    layers = {f"c{at}": 0.1 for at in range(12)}
    measured, simulated = predicted(1.2, layers=layers), predicted(2.4, layers=dict.fromkeys(layers, 0.2))
    assert PlanDiff(measured, simulated).machine is not None
    real = EnginePlan(measured.engine, measured.layer_times, measured.query_times)
    assert PlanDiff(real, simulated).machine is None


def test_the_slow_run_of_a_control_network_is_no_change_of_precision(shared_engines: Path):
    found = PlanDiff(load(shared_engines / "trt8.6-controlnet-a10"), load(shared_engines / SLOW))
    machine = found.machine
    assert machine is not None and machine.kernels == 14 and machine.low < 2.2 < machine.high
    assert found.verdict.startswith("The machines or their clocks differ: 14 unchanged kernels take 1.80× as long")
    assert found.main.outcome is SpeedOutcome.UNKNOWN
    assert Cause.PRECISION.value not in {step.name for step in found.waterfall.steps}


@pytest.mark.parametrize(
    "left, right",
    [
        ("trt8.4-resnet18-a100-qat", "trt8.4-resnet18-a100-qat-residual"),
        ("trt8.4-resnet18-a100-qat", "trt8.4-resnet18-a100-qat-residual-qgap"),
        ("trt8.4-resnet18-a100-qat-residual", "trt8.4-resnet18-a100-qat-residual-qgap"),
        ("trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals"),
    ],
)
def test_published_pairs_of_one_machine_have_no_shift(shared_engines: Path, left: str, right: str):
    machine = PlanDiff(load(shared_engines / left), load(shared_engines / right)).machine
    assert machine is not None and not machine.is_shifted
