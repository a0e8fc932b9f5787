"""Whether a difference is real: signs, words, and what samples cannot support."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from tests.factories import conv, engine
from trex.compare.significance import Outcome, Significance, significance_of
from trex.core.metadata import LatencySummary, Metadata
from trex.core.timings import QueryTimes
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

SMALL = engine(conv("a", ["x"], ["y"]), inputs=["x"], outputs=["y"])


def run(times: object, **more: object) -> Performance:
    values = array("d", np.asarray(times, dtype=float).tolist())
    return Performance(EnginePlan(SMALL, query_times=QueryTimes({"computeMs": values, "latencyMs": values}), **more))  # type: ignore[arg-type]


def noise(median: float, seed: int, count: int = 1000, scatter: float = 0.01) -> np.ndarray:
    return median * (1.0 + scatter * np.random.default_rng(seed).standard_normal(count))


def judged(left: object, right: object) -> Significance:
    return significance_of(run(left), run(right))


def test_half_the_time_is_a_speed_up_of_two():
    found = judged(noise(2.0, 1), noise(1.0, 2))
    assert found.outcome is Outcome.FASTER and found.is_real
    assert found.speedup == pytest.approx(2.0, rel=0.005)
    assert found.change_pct == pytest.approx(-50.0, abs=0.2)
    assert found.difference_ms == pytest.approx(-1.0, rel=0.01)
    assert found.low is not None and found.high is not None and found.low < 2.0 < found.high
    assert "faster by 50.0 %" in found.sentence or "faster by 49.9 %" in found.sentence or "50.1 %" in found.sentence
    assert "speed-up 2.0" in found.sentence


def test_the_other_way_round_it_is_slower():
    found = judged(noise(1.0, 2), noise(2.0, 1))
    assert found.outcome is Outcome.SLOWER
    assert found.speedup == pytest.approx(0.5, rel=0.005)
    assert found.change_pct == pytest.approx(100.0, abs=0.6)
    assert found.difference_ms == pytest.approx(1.0, rel=0.01)
    assert "slower by" in found.sentence


def test_three_percent_of_a_thousand_samples_are_seen():
    found = judged(noise(1.0, 3), noise(0.97, 4))
    assert found.outcome is Outcome.FASTER
    assert found.margin_pct == pytest.approx(0.11, abs=0.08)
    assert found.sentence.startswith("The new engine is faster by 3.")
    assert " ± 0.1 in GPU compute" in found.sentence


def test_too_few_noisy_samples_support_nothing_small():
    times = 1.0 + 0.05 * np.random.default_rng(5).standard_normal(40)
    found = judged(times, 0.995 * times[::-1])
    assert found.outcome is Outcome.SAME and found.is_real is False
    assert found.support_pct is not None and found.support_pct > 1.0
    assert f"cannot support a difference below {found.support_pct:.2g} %" in found.sentence


def test_one_run_twice_is_no_difference():
    found = judged(noise(1.0, 7), noise(1.0, 7))
    assert (found.outcome, found.speedup, found.change_pct, found.difference_ms) == (Outcome.SAME, 1.0, 0.0, 0.0)
    assert found.sentence.startswith("No difference")


def test_two_runs_of_one_engine_are_told_apart_at_most_once_in_twenty():
    told = sum(judged(noise(1.0, seed, 200), noise(1.0, seed + 1000, 200)).is_real is True for seed in range(60))
    assert told <= 6


def test_a_difference_that_a_run_makes_by_itself_is_none():
    drifting = np.concatenate((noise(1.0, 8, 500, 0.002), noise(1.1, 9, 500, 0.002)))
    found = judged(noise(1.03, 10, 1000, 0.002), drifting)
    assert found.uncertainty_pct > 5.0
    assert found.outcome is Outcome.SAME


@pytest.mark.parametrize("times", [[], [0.0] * 20, [float("nan")] * 20])
def test_without_times_it_is_unknown(times):
    found = judged(noise(1.0, 11), times)
    assert found.outcome is Outcome.UNKNOWN and found.is_real is None
    assert found.speedup is None and found.change_pct is None and found.support_pct is None
    assert "unknown" in found.sentence


def test_few_samples_have_a_ratio_and_no_verdict():
    found = judged([2.0, 2.0, 2.1], [1.0, 1.0, 1.1])
    assert found.outcome is Outcome.UNKNOWN
    assert found.speedup == 2.0
    assert "looks faster by 50.0 %" in found.sentence


def test_equal_medians_look_neither_faster_nor_different():
    found = judged([1.0, 1.0, 1.1], [1.0, 1.0, 1.2])
    assert found.outcome is Outcome.UNKNOWN
    assert found.sentence.startswith("Both take 1 ms in GPU compute; whether they differ is unknown: ")


def test_summaries_tell_a_ratio_and_no_verdict():
    plans = []
    for median in (2.0, 1.0):
        latency = {"GPU Compute Time": LatencySummary(median, median, median, median)}
        plans.append(Performance(EnginePlan(SMALL, metadata=Metadata(latency=latency))))
    found = significance_of(plans[0], plans[1])
    assert (found.outcome, found.speedup) == (Outcome.UNKNOWN, 2.0)
    assert "--exportTimes" in found.sentence


def test_a_clock_that_reads_zero_tells_nothing_of_the_host():
    starts = array("d", [float(i) for i in range(40)])
    plans = []
    for step in (0.005, 0.01):
        ends = array("d", [each + (step if i % 3 else 0.0) for i, each in enumerate(starts)])
        times = QueryTimes({"startEnqMs": starts, "endEnqMs": ends})
        plans.append(Performance(EnginePlan(SMALL, query_times=times)))
    found = significance_of(plans[0], plans[1], "enqueueMs")
    assert found.outcome is Outcome.UNKNOWN
    assert found.speedup == pytest.approx(0.5)


def test_a_margin_is_told_with_one_decimal_and_never_as_none_at_all():
    found = judged(noise(2.0, 1, 4000, 1e-4), noise(1.0, 2, 4000, 1e-4))
    assert found.margin_pct is not None and 0.0 < found.margin_pct < 0.05
    assert found.shown_margin_pct == 0.1 and "± 0.1" in found.sentence
