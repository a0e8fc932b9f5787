"""Simulated engines: verdicts by the error bars of the predictions, never by samples."""

from __future__ import annotations

import itertools

import pytest

from tests.compare.predicted import measured, predicted
from tests.compare.profiled import made
from tests.simulated_examples import load_simulated
from trex.compare.parity import parity_of
from trex.compare.plan_diff import PlanDiff
from trex.compare.prediction import is_one_prediction, prediction_of
from trex.compare.run_settings import SettingSeverity
from trex.compare.significance import Significance, SpeedOutcome, significance_of
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan


def judged(left: EnginePlan, right: EnginePlan, key: str = "computeMs") -> Significance:
    return significance_of(Performance(left), Performance(right), key)


def test_the_interval_is_the_worst_case_of_both_error_bars():
    found = judged(predicted(2.0, 1.6, 2.4), predicted(1.0, 0.8, 1.2))
    assert found.speedup == pytest.approx(2.0)
    assert (found.low, found.high) == pytest.approx((1.6 / 1.2, 2.4 / 0.8))
    assert found.outcome is SpeedOutcome.PREDICTED_FASTER and found.outcome.is_faster
    assert found.sentence == ("New is predicted 2.00× faster: GPU compute 2 → 1 ms (−50.0 %, error bars −67 to −25 %).")


@pytest.mark.parametrize("ends", [*itertools.product((1.6, 2.4), (0.8, 1.2))])
def test_it_contains_every_pair_of_times_within_the_error_bars(ends):
    found = judged(predicted(2.0, 1.6, 2.4), predicted(1.0, 0.8, 1.2))
    assert found.low is not None and found.high is not None
    assert found.low - 1e-9 <= ends[0] / ends[1] <= found.high + 1e-9


def test_the_other_way_round_it_is_slower():
    one, other = predicted(2.0, 1.6, 2.4), predicted(1.0, 0.8, 1.2)
    found, back = judged(one, other), judged(other, one)
    assert back.outcome is SpeedOutcome.PREDICTED_SLOWER and not back.outcome.is_faster
    assert found.high is not None and back.low == pytest.approx(1.0 / found.high)
    assert back.sentence.startswith("New is predicted 2.00× slower: GPU compute 1 → 2 ms (+100.0 %")


def test_a_difference_within_the_error_bars():
    found = judged(predicted(1.0, 0.8, 1.2), predicted(0.9, 0.72, 1.08))
    assert found.outcome is SpeedOutcome.SAME
    assert found.sentence.startswith("New is predicted 1.11× faster: ")
    assert found.sentence.endswith(" (−10.0 %, error bars −40 to +35 %); either may be faster.")
    assert found.error_bars == "error bars 0.74× to 1.67×"


def test_samples_are_ignored():
    found = judged(predicted(2.0, 1.6, 2.4), predicted(1.0, 0.8, 1.2))
    assert found.is_significant is None and found.margin_pct is None and found.support_pct is None
    assert found.left is None and found.right is None and found.comparison is None
    assert "±" not in found.sentence


def test_more_samples_or_fewer_change_nothing():
    few, many = (judged(predicted(2.0, 1.6, 2.4, samples=n), predicted(1.0, 0.8, 1.2, samples=n)) for n in (2, 500))
    assert (few.sentence, few.low, few.high) == (many.sentence, many.low, many.high)


def test_without_error_bars_it_is_unknown():
    found = judged(predicted(2.0), predicted(1.0, 0.8, 1.2))
    assert found.outcome is SpeedOutcome.UNKNOWN and found.speedup == pytest.approx(2.0)
    assert found.low is None and found.high is None
    assert found.sentence.endswith("(−50.0 %); error bars unknown: no error bars in base.")


def test_error_bars_must_contain_the_time():
    assert judged(predicted(2.0, 0.1, 0.2), predicted(1.0, 0.8, 1.2)).outcome is SpeedOutcome.UNKNOWN


@pytest.mark.parametrize(
    "key, transfers, reason",
    [
        ("latencyMs", 0.0, ""),
        ("latencyMs", 0.5, "predictions have no error bars for transfers, which this latency contains"),
        ("enqueueMs", 0.0, "predictions have error bars for GPU compute only"),
    ],
)
def test_error_bars_exist_for_gpu_compute_only(key, transfers, reason):
    sides = predicted(2.0, 1.6, 2.4, transfers=transfers), predicted(1.0, 0.8, 1.2, transfers=transfers)
    found = judged(*sides, key)
    assert found.reason == reason
    assert (found.low is None) is bool(reason)
    assert found.speedup == pytest.approx((2.0 + transfers) / (1.0 + transfers))


def test_one_prediction_twice_is_no_difference():
    plan = predicted(1.0, 0.8, 1.2)
    found = judged(plan, predicted(1.0, 0.8, 1.2))
    assert found.outcome is SpeedOutcome.SAME and found.is_one_run and (found.low, found.high) == (1.0, 1.0)
    assert found.sentence.startswith("No difference: both sides are the same prediction (GPU compute 1 → 1 ms")
    assert not is_one_prediction(Performance(plan), Performance(predicted(1.0, 0.8, 1.3)))
    assert not is_one_prediction(Performance(plan), Performance(predicted(1.0, 0.8, 1.2, layers={"b": 0.9})))
    assert not is_one_prediction(Performance(predicted(1.0)), Performance(predicted(1.0)))


def test_equal_times_of_other_engines():
    found = judged(predicted(1.0, 0.8, 1.2), predicted(1.0, 0.8, 1.2, layers={"b": 0.9}))
    assert found.sentence.startswith("New is predicted equally fast: ") and "error bars −33 to +50 %" in found.sentence


@pytest.mark.parametrize("is_base", [True, False])
def test_measured_against_predicted(is_base):
    real, guess = measured(1.0), predicted(0.5, 0.4, 0.6)
    left, right = (real, guess) if is_base else (guess, real)
    found = judged(left, right)
    origins = ("measured", "predicted") if is_base else ("predicted", "measured")
    way = "faster" if is_base else "slower"
    assert found.sentence.startswith(f"Base is {origins[0]}, new is {origins[1]}: new is 2.00× {way}, GPU compute ")
    assert "error bars" in found.sentence and "±" not in found.sentence
    assert found.outcome is (SpeedOutcome.PREDICTED_FASTER if is_base else SpeedOutcome.PREDICTED_SLOWER)
    assert found.is_significant is None
    assert found.low is not None and found.high is not None and found.speedup is not None
    ends = (1.0 / 0.6, 1.0 / 0.4) if is_base else (0.4, 0.6)
    assert found.low < found.speedup < found.high
    assert (found.low, found.high) == pytest.approx(ends, rel=0.002)
    assert (found.low < ends[0], found.high > ends[1]) == (True, True), "the measured median has its interval, too"
    assert (found.left is not None, found.right is not None) == (is_base, not is_base)


def test_drift_of_an_unsteady_run_widens_the_interval():
    steady, wandering = measured(1.0), measured(1.0)
    values = wandering.query_times.columns["computeMs"]  # type: ignore[union-attr]
    for place in range(500, 1000):
        values[place] *= 1.1
    narrow, wide = (
        prediction_of(Performance(each), Performance(predicted(1.0, 0.8, 1.2))) for each in (steady, wandering)
    )
    assert narrow is not None and wide is not None and narrow.base_ms is not None and wide.base_ms is not None
    assert wide.base_ms[1] - wide.base_ms[0] > 0.1 > narrow.base_ms[1] - narrow.base_ms[0]


def test_synthetic_against_predicted():
    found = PlanDiff(made("resnet18-int8"), load_simulated("resnet18-int8"))
    assert found.verdict.startswith("Base is synthetic, new is predicted: ")


def test_the_origin_is_a_critical_setting_and_a_note():
    found = PlanDiff(measured(1.0), predicted(0.5, 0.4, 0.6))
    (unlike,) = (each for each in found.parity.differences if each.name == "origin of times")
    assert (unlike.severity, unlike.left, unlike.right) == (SettingSeverity.CRITICAL, "measured on a GPU", "simulated")
    assert found.parity.is_comparable is False
    assert [note.message for note in found.notes if note.code == "unlike-origins"] == [
        "base is measured, new is predicted: the difference includes the prediction error"
    ]
    alike = PlanDiff(predicted(1.0, 0.8, 1.2), predicted(0.5, 0.4, 0.6))
    assert "unlike-origins" not in {note.code for note in alike.notes}
    assert "origin of times: simulated" in parity_of(alike.left_performance, alike.right_performance).matching


def test_two_measured_runs_have_no_prediction():
    assert PlanDiff(measured(1.0), measured(0.5, seed=2)).prediction is None
    assert judged(measured(1.0), measured(0.5, seed=2)).outcome is SpeedOutcome.FASTER


def test_without_times_it_is_unknown():
    found = judged(predicted(1.0, samples=0), predicted(1.0, 0.8, 1.2))
    assert found.outcome is SpeedOutcome.UNKNOWN and found.is_significant is None
    assert found.sentence == "Can't tell which is faster by GPU compute: no time in base."


@pytest.mark.parametrize("name", ["resnet18-int8", "resnet18-fp16"])
def test_the_bundled_examples_have_error_bars(name):
    found = PlanDiff(load_simulated(name), load_simulated("resnet18-int8-residual")).main
    assert found.outcome is SpeedOutcome.PREDICTED_FASTER and found.is_significant is None
    assert found.low is not None and found.high is not None and found.speedup is not None
    assert found.high / found.low > 1.5, "samples that scatter by a thousandth are not what this is of"
    assert PlanDiff(load_simulated("resnet18-fp16"), load_simulated("resnet18-int8")).main.outcome is SpeedOutcome.SAME
