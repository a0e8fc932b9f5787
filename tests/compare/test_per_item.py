"""Verdicts per item of the batch: less work in less time is no faster engine."""

from __future__ import annotations

import pytest

from tests.compare.predicted import measured, predicted
from tests.compare.profiled import made
from trex.compare.comparison import compare
from trex.compare.per_item import per_item_of
from trex.compare.significance import Outcome


def test_of_two_batches_the_verdict_is_per_item():
    found = compare(made("resnet18-b8"), made("resnet18-b1"))
    assert found.per_item is not None and found.per_item.batches == (8, 1) and found.per_item.is_other
    assert found.verdict.startswith("Per item slower, 0.38 times the items per second ± ")
    assert found.verdict.endswith("ms at 1).") and "ms at batch 8 →" in found.verdict
    assert found.verdicts == (found.per_item.sentence, found.main.sentence)
    assert found.main.outcome is Outcome.FASTER and found.per_item.outcome is Outcome.SLOWER


def test_of_one_batch_it_is_that_of_the_whole():
    found = compare(made("resnet18-b8"), made("resnet18-b8"))
    assert found.per_item is not None and not found.per_item.is_other
    assert found.verdicts == (found.main.sentence,) == (found.verdict,)
    assert found.per_item.speedup == found.main.speedup


def test_the_interval_is_scaled_as_the_speedup_is():
    main = compare(measured(1.0), measured(2.0)).main
    found = per_item_of(main, 1, 4)
    assert found is not None and main.speedup is not None and main.low is not None and found.low is not None
    assert found.speedup == pytest.approx(4.0 * main.speedup)
    wander = 1.0 + main.uncertainty_pct / 100.0
    assert found.low == pytest.approx(4.0 * main.low / wander)
    assert found.outcome is Outcome.FASTER and found.between == ""


def test_predictions_tell_their_error_bars_and_nothing_real():
    found = compare(predicted(1.0, 0.8, 1.2), predicted(2.0, 1.6, 2.4, batch=8))
    assert found.verdict == (
        "Per item predicted faster, 4.00 times the items per second (2.67 to 6.00 by the predictions' error bars) by "
        "GPU compute (1 ms at batch 1 → 2 ms at 8)."
    )
    unlike = compare(measured(1.0), predicted(2.0, 1.6, 2.4, batch=8)).verdict
    assert unlike.startswith(
        "Not like with like: the base was measured, the new engine predicted; per item predicted f"
    )


@pytest.mark.parametrize("batches", [(None, 8), (8, None), (0, 8)])
def test_without_a_batch_there_is_none(batches):
    assert per_item_of(compare(measured(1.0), measured(2.0)).main, *batches) is None


def test_without_times_there_is_none():
    found = compare(predicted(1.0, samples=0), predicted(1.0, samples=0, batch=8))
    assert found.per_item is None and found.verdict == found.main.sentence
