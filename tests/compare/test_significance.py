"""Which engine is faster: signs, sentences, and what the samples don't support."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from tests.factories import conv, engine
from trex.compare.significance import Significance, SpeedOutcome, significance_of
from trex.core.metadata import LatencySummary, Metadata
from trex.core.timings import QueryTimes
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

SMALL = engine(conv("a", ["x"], ["y"]), inputs=["x"], outputs=["y"])


def run(times: object) -> Performance:
    values = array("d", np.asarray(times, dtype=float).tolist())
    return Performance(EnginePlan(SMALL, query_times=QueryTimes({"computeMs": values, "latencyMs": values})))


def noise(median: float, seed: int, count: int = 1000, scatter: float = 0.01) -> np.ndarray:
    return median * (1.0 + scatter * np.random.default_rng(seed).standard_normal(count))


def change(left: object, right: object) -> Significance:
    return significance_of(run(left), run(right))


def test_half_the_time_is_a_speed_up_of_two():
    faster = change(noise(2.0, 1), noise(1.0, 2))
    assert faster.outcome is SpeedOutcome.FASTER and faster.is_significant
    assert faster.speedup == pytest.approx(2.0, rel=0.005)
    assert faster.change_pct == pytest.approx(-50.0, abs=0.2)
    assert faster.difference_ms == pytest.approx(-1.0, rel=0.01)
    assert faster.low is not None and faster.high is not None and faster.low < 2.0 < faster.high
    assert faster.sentence.startswith("New is 2.00× faster within these two runs: GPU compute 1.999 → ")
    slower = change(noise(1.0, 2), noise(2.0, 1))
    assert slower.outcome is SpeedOutcome.SLOWER
    assert slower.speedup == pytest.approx(0.5, rel=0.005)
    assert slower.change_pct == pytest.approx(100.0, abs=0.6)
    assert slower.difference_ms == pytest.approx(1.0, rel=0.01)
    assert slower.sentence.startswith("New is 2.00× slower within these two runs: ")


def test_a_thousand_samples_show_three_percent():
    found = change(noise(1.0, 3), noise(0.97, 4))
    assert found.outcome is SpeedOutcome.FASTER
    assert found.margin_pct == pytest.approx(0.11, abs=0.08)
    assert found.sentence.startswith("New is 1.03× faster within these two runs: ") and found.sentence.endswith(
        " % ± 0.1)."
    )


def test_few_noisy_samples_show_no_small_difference():
    times = 1.0 + 0.05 * np.random.default_rng(5).standard_normal(40)
    found = change(times, 0.995 * times[::-1])
    assert found.outcome is SpeedOutcome.SAME and found.is_significant is False
    assert found.support_pct is not None and found.support_pct > 1.0
    assert found.sentence.startswith("No significant difference within these two runs: ")
    assert found.sentence.endswith(f"; these runs can show {found.support_pct:.2g} % or more.")


def test_one_run_compared_with_itself():
    found = change(noise(1.0, 7), noise(1.0, 7))
    assert (found.outcome, found.speedup, found.change_pct, found.difference_ms) == (SpeedOutcome.SAME, 1.0, 0.0, 0.0)
    assert found.sentence == (
        "No difference: both sides have the same GPU compute samples (one run compared with itself)."
    )


def test_false_alarms_are_rare():
    changes = (change(noise(1.0, seed, 200), noise(1.0, seed + 1000, 200)) for seed in range(60))
    assert sum(found.is_significant is True for found in changes) <= 6


def test_drift_within_a_run_is_no_difference():
    drifting = np.concatenate((noise(1.0, 8, 500, 0.002), noise(1.1, 9, 500, 0.002)))
    found = change(noise(1.03, 10, 1000, 0.002), drifting)
    assert found.uncertainty_pct > 5.0
    assert found.outcome is SpeedOutcome.SAME


@pytest.mark.parametrize("times", [[], [0.0] * 20, [float("nan")] * 20])
def test_without_times_it_is_unknown(times):
    found = change(noise(1.0, 11), times)
    assert found.outcome is SpeedOutcome.UNKNOWN and found.is_significant is None
    assert found.speedup is None and found.change_pct is None and found.support_pct is None
    assert found.sentence.startswith("Can't tell which is faster by GPU compute: no ")


def test_few_samples_have_a_ratio_and_no_verdict():
    found = change([2.0, 2.0, 2.1], [1.0, 1.0, 1.1])
    assert (found.outcome, found.speedup) == (SpeedOutcome.UNKNOWN, 2.0)
    assert found.sentence.startswith("Can't tell which is faster: ")
    assert found.sentence.endswith(". By the medians new looks 2.00× faster: GPU compute 2 → 1 ms (−50.0 %).")
    equal = change([1.0, 1.0, 1.1], [1.0, 1.0, 1.2])
    assert ". By the medians both look equally fast: " in equal.sentence


def test_summaries_have_a_ratio_and_no_verdict():
    plans = []
    for median in (2.0, 1.0):
        latency = {"GPU Compute Time": LatencySummary(median, median, median, median)}
        plans.append(Performance(EnginePlan(SMALL, metadata=Metadata(latency=latency))))
    found = significance_of(plans[0], plans[1])
    assert (found.outcome, found.speedup) == (SpeedOutcome.UNKNOWN, 2.0)
    assert found.sentence.startswith(
        "Can't tell which is faster: no per-query times (--exportTimes) in base and new. By the medians"
    )


def test_a_clock_that_reads_zero_shows_nothing():
    starts = array("d", [float(i) for i in range(40)])
    plans = []
    for step in (0.005, 0.01):
        ends = array("d", [start + (step if i % 3 else 0.0) for i, start in enumerate(starts)])
        times = QueryTimes({"startEnqMs": starts, "endEnqMs": ends})
        plans.append(Performance(EnginePlan(SMALL, query_times=times)))
    found = significance_of(plans[0], plans[1], "enqueueMs")
    assert found.outcome is SpeedOutcome.UNKNOWN and found.speedup == pytest.approx(0.5)


def test_a_margin_is_never_shown_as_zero():
    found = change(noise(2.0, 1, 4000, 1e-4), noise(1.0, 2, 4000, 1e-4))
    assert found.margin_pct is not None and 0.0 < found.margin_pct < 0.05
    assert found.shown_margin_pct == 0.1 and "± 0.1" in found.sentence


def test_one_step_of_a_coarse_timer_is_no_difference():
    def stepped(mean: float, seed: int) -> np.ndarray:
        return 0.000512 * np.round(np.random.default_rng(seed).normal(mean, 0.0003, 3000) / 0.000512)

    near = change(stepped(0.020194, 1), stepped(0.020254, 2))
    assert near.change_pct == pytest.approx(2.56, abs=0.1) and near.outcome is SpeedOutcome.SAME
    assert "one step of the timer, 0.51 µs" in near.sentence
    assert near.uncertainty_pct == pytest.approx(2.56, abs=0.1) and near.drift_pct == 0.0
    assert change(stepped(0.020194, 1), stepped(0.022, 2)).outcome is SpeedOutcome.SLOWER
