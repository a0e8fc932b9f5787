"""Two runs are two samples: what they show, and what several runs per side show, against series of known truth."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from tests.compare.predicted import predicted
from tests.factories import conv, engine, t
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.plan_diff import PlanDiff
from trex.compare.repeated_runs import middle_first, repeated_runs
from trex.compare.significance import Significance, SpeedOutcome, significance_of
from trex.core.timings import QueryTimes
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

SMALL = engine(conv("a", [t("x", [1, 8, 4, 4])], [t("y", [1, 8, 4, 4])]), inputs=["x"], outputs=["y"])
OFFSET = 0.007
"""Standard deviation between runs, with which single pairs look different in 87 % of all cases."""


def plan(times: np.ndarray) -> EnginePlan:
    values = array("d", times.tolist())
    return EnginePlan(SMALL, query_times=QueryTimes({"computeMs": values, "latencyMs": values}))


def correlated(generator: np.random.Generator, rho: float, count: int = 1000, median: float = 1.0) -> np.ndarray:
    """AR(1) noise of 1 %."""
    noise = generator.standard_normal(count) * 0.01 * np.sqrt(1.0 - rho * rho)
    noise[0] = 0.01 * generator.standard_normal()
    for at in range(1, count):
        noise[at] += rho * noise[at - 1]
    return median * (1.0 + noise)


def offset_runs(generator: np.random.Generator, runs: int, median: float = 1.0, rho: float = 0.5) -> list[EnginePlan]:
    """Runs of one engine, each shifted as a whole."""
    return [
        plan(correlated(generator, rho, 200, median * np.exp(OFFSET * generator.standard_normal())))
        for _ in range(runs)
    ]


def compared(base: list[EnginePlan], new: list[EnginePlan]) -> Significance:
    left, right = ([Performance(each) for each in side] for side in (base, new))
    return significance_of(left[0], right[0], "computeMs", (left[1:], right[1:]))


def test_slow_drifts_within_equal_runs_are_no_difference():
    """A correlation of neighbors of 0.999: a thousand samples are worth a few, and the medians differ by chance."""
    generator = np.random.default_rng(1)
    found = [compared([plan(correlated(generator, 0.999))], [plan(correlated(generator, 0.999))]) for _ in range(40)]
    assert sum(each.is_significant is True for each in found) <= 2
    drifting = [each for each in found if "drifts slowly" in each.reason]
    assert drifting and all(each.outcome is SpeedOutcome.SAME for each in drifting)
    assert all(abs(each.change_pct or 0.0) <= (each.support_pct or 0.0) for each in drifting)


def test_a_drifting_run_still_shows_a_large_difference():
    generator = np.random.default_rng(2)
    found = compared([plan(correlated(generator, 0.999))], [plan(correlated(generator, 0.999, median=0.5))])
    assert found.outcome is SpeedOutcome.FASTER


def test_one_run_per_side_shows_what_it_says():
    """An offset of whole runs is real within them: only the sentence limits it, and several runs show it."""
    generator = np.random.default_rng(3)
    found = [compared(offset_runs(generator, 1), offset_runs(generator, 1)) for _ in range(20)]
    real = [each for each in found if each.is_significant]
    assert len(real) > 10 and all("within these two runs" in each.sentence for each in found)


@pytest.mark.parametrize("runs", [(2, 2), (3, 3), (5, 5), (1, 5), (2, 4)])
@pytest.mark.parametrize("change", [1.0, 1.02])
def test_the_interval_of_several_runs_contains_the_truth(runs, change):
    """On medians of runs with an offset: nineteen of twenty intervals, within what 3,000 trials may deviate."""
    generator = np.random.default_rng(4)
    inside = 0
    for _ in range(3000):
        base, new = (np.exp(OFFSET * generator.standard_normal(count)) for count in runs)
        found = repeated_runs((base * change).tolist(), new.tolist())
        assert found is not None
        inside += found.low <= change <= found.high
    assert 0.94 <= inside / 3000 <= 0.985


def test_unequal_spreads():
    generator = np.random.default_rng(5)
    inside = 0
    for _ in range(3000):
        base, new = (np.exp(sigma * generator.standard_normal(count)) for sigma, count in ((0.002, 8), (0.02, 3)))
        found = repeated_runs(base.tolist(), new.tolist())
        assert found is not None
        inside += found.low <= 1.0 <= found.high
    assert inside / 3000 >= 0.93


def test_offsets_of_equal_engines_are_seldom_a_difference():
    """The whole way, from correlated samples."""
    generator = np.random.default_rng(6)
    found = [compared(offset_runs(generator, 3), offset_runs(generator, 3)) for _ in range(40)]
    assert sum(each.is_significant is True for each in found) <= 5
    assert all(each.runs is not None and "over 3 and 3 runs, which differ by" in each.sentence for each in found)


def test_a_difference_beyond_the_spread_is_found():
    generator = np.random.default_rng(7)
    found = [compared(offset_runs(generator, 5), offset_runs(generator, 5, 1.03)) for _ in range(20)]
    assert sum(each.outcome is SpeedOutcome.SLOWER for each in found) >= 18


def test_runs_that_agree_by_chance_keep_the_error_of_each():
    exact = repeated_runs([1.0, 1.0], [1.001, 1.001])
    assert exact is not None and exact.differs
    found = repeated_runs([1.0, 1.0], [1.001, 1.001], [0.002] * 4)
    assert found is not None and not found.differs and found.spread_pct == pytest.approx(0.2)


@pytest.mark.parametrize(
    "base, new", [([1.0], [1.0]), ([], [1.0, 1.0, 1.0]), ([1.0, None], [1.0]), ([0.0] * 3, [1.0] * 3)]
)
def test_fewer_than_three_runs_have_no_spread(base, new):
    assert repeated_runs(base, new) is None


def test_summaries_without_samples_are_judged_by_their_runs():
    sides = [[plan(np.full(5, ms)) for ms in side] for side in ((1.0, 1.01, 0.99), (1.1, 1.11, 1.09))]
    assert compared(*sides).outcome is SpeedOutcome.SLOWER


def test_the_middle_run_stands_for_its_side():
    runs = [plan(np.full(20, ms)) for ms in (1.3, 1.0, 1.1)]
    assert middle_first(runs) == (runs[2], runs[0], runs[1])
    assert middle_first(runs[:1]) == (runs[0],)
    bare = [EnginePlan(SMALL), EnginePlan(SMALL)]
    assert middle_first(bare) == tuple(bare)


def test_the_gate_takes_several_runs():
    generator = np.random.default_rng(8)

    def status(change: float) -> GateStatus:
        base, new = offset_runs(generator, 4), offset_runs(generator, 4, change)
        diff = PlanDiff(base[0], new[0], left_repeats=base[1:], right_repeats=new[1:])
        results = judge(diff, [read_condition("latency>+3%"), read_condition("p99>+3%")])
        assert results[0].status is results[1].status
        return results[0].status

    assert status(1.0) is GateStatus.PASSED
    assert status(1.08) is GateStatus.FAILED


def test_predictions_are_no_runs():
    diff = PlanDiff(predicted(1.0), predicted(2.0), left_repeats=[predicted(1.0)], right_repeats=[predicted(2.0)])
    assert diff.main.runs is None and diff.main.prediction is not None


def test_a_note_counts_the_runs_without_times():
    base, new = (offset_runs(np.random.default_rng(9), 3) for _ in range(2))
    untimed = EnginePlan(SMALL)
    for extra, expected in (((), []), ((untimed,), ["new: the speed-up is without 1 of 4 runs"])):
        diff = PlanDiff(base[0], new[0], left_repeats=base[1:], right_repeats=(*new[1:], *extra))
        messages = [note.message.partition(",")[0] for note in diff.notes if note.code == "runs-without-times"]
        assert messages == expected
