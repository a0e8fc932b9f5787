"""Verdicts per item of the batch: less work in less time is not faster."""

from __future__ import annotations

import pytest

from tests.compare.predicted import measured, predicted
from tests.compare.profiled import made
from trex.compare.per_item import per_item_of
from trex.compare.plan_diff import PlanDiff
from trex.compare.significance import SpeedOutcome


def test_two_batches_are_compared_per_item():
    found = PlanDiff(made("resnet18-b8"), made("resnet18-b1"))
    assert found.per_item is not None and found.per_item.batches == (8, 1) and found.per_item.has_two_batches
    assert found.verdict.startswith("Per item slower within these two runs: 0.38× the items per second ± ")
    assert found.verdict.endswith("ms at 1).") and "ms at batch 8 →" in found.verdict
    assert found.verdicts == (found.per_item.sentence, found.main.sentence)
    assert found.main.outcome is SpeedOutcome.FASTER and found.per_item.outcome is SpeedOutcome.SLOWER


def test_equal_batches_are_compared_per_inference():
    found = PlanDiff(made("resnet18-b8"), made("resnet18-b8"))
    assert found.per_item is not None and not found.per_item.has_two_batches
    assert found.verdicts == (found.main.sentence,) == (found.verdict,)
    assert found.per_item.speedup == found.main.speedup


def test_the_interval_is_scaled_as_the_speedup_is():
    main = PlanDiff(measured(1.0), measured(2.0)).main
    found = per_item_of(main, 1, 4)
    assert found is not None and main.speedup is not None and main.low is not None and found.low is not None
    assert found.speedup == pytest.approx(4.0 * main.speedup)
    wander = 1.0 + main.uncertainty_pct / 100.0
    assert found.low == pytest.approx(4.0 * main.low / wander)
    assert found.outcome is SpeedOutcome.FASTER and found.error_bars == ""


def test_predictions_have_error_bars():
    found = PlanDiff(predicted(1.0, 0.8, 1.2), predicted(2.0, 1.6, 2.4, batch=8))
    assert found.verdict == (
        "Per item predicted faster: 4.00× the items per second, error bars 2.67× to 6.00× "
        "(GPU compute 1 ms at batch 1 → 2 ms at 8)."
    )
    mixed = PlanDiff(measured(1.0), predicted(2.0, 1.6, 2.4, batch=8)).verdict
    assert mixed.startswith("Base is measured, new is predicted; per item predicted f")


@pytest.mark.parametrize("batches", [(None, 8), (8, None), (0, 8)])
def test_without_a_batch_there_is_none(batches):
    assert per_item_of(PlanDiff(measured(1.0), measured(2.0)).main, *batches) is None


def test_without_times_there_is_none():
    found = PlanDiff(predicted(1.0, samples=0), predicted(1.0, samples=0, batch=8))
    assert found.per_item is None and found.verdict == found.main.sentence
