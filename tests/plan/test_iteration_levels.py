"""Layer times per iteration at two levels."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from tests.raw_records import chain
from tests.rules.cases import finding, plan_of
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.plan_diff import PlanDiff
from trex.core.timings import LayerTime, LayerTimes
from trex.engine_plan import load
from trex.ingest.profile_json import read_profile
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.iteration_levels import two_levels
from trex.rules.finding import Severity

RUN = 1.0 + 0.01 * np.abs(np.random.default_rng(1).standard_normal(100))


def profile(sums: np.ndarray) -> LayerTimes:
    rows = ((f"l{at}", share * sums) for at, share in enumerate((0.7, 0.3)))
    records = (LayerTime(name, 0, None, float(ms.mean()), None, None, tuple(ms.tolist())) for name, ms in rows)
    return LayerTimes(tuple(records), len(sums), "p.json")


def both(factor: float, size: int = 100, more: int = 100) -> np.ndarray:
    return np.concatenate([RUN[:size], factor * RUN[:more]])


@pytest.mark.parametrize(
    ("sums", "words", "severity"),
    [
        (both(3.0), "take 3 times as long from iteration 101 on", "problem"),
        (both(2.0, 10, 10), "take 2 times as long from iteration 11 on", "problem"),
        (both(1000.0, 40, 90), "take 1,000 times as long from iteration 41 on", "problem"),
        (both(0.1), "take 10 times as long until iteration 100", "problem"),
        (both(1.4), "take 1.4 times as long from iteration 101 on", "warning"),
        (RUN * np.where(np.arange(100) % 2, 1000.0, 1.0), "in 50 of 100 iterations, first in iteration 2", "problem"),
        (np.concatenate([RUN, 3.0 * RUN, RUN]), "3 times as long in 100 of 300 iterations", "problem"),
        (np.concatenate([[5.0, 9.0, 4.0], both(3.0)]), "3 times as long from iteration 104 on", "problem"),
        (np.concatenate([[0.0], both(3.0)]), "3 times as long from iteration 102 on", "problem"),
    ],
)
def test_two_levels_are_two_runs_or_other_clocks(sums: np.ndarray, words: str, severity: str) -> None:
    (note,) = two_levels(profile(sums))
    assert (note.code, note.severity, note.where) == ("times-of-two-runs", severity, "p.json")
    assert words in note.message and note.message.endswith(": two runs in one file, or other clocks")


@pytest.mark.parametrize(
    "sums",
    [
        RUN,
        both(1.2),
        both(3.0, 8, 8),  # too few
        np.concatenate([np.linspace(9.0, 1.0, 20), RUN]),  # a slow start
        np.concatenate([5.0 * RUN[:25], RUN]),
        RUN * np.where(np.arange(100) % 10, 1.0, 50.0),  # spikes
        np.linspace(1.0, 2.0, 100),  # a drift
        np.random.default_rng(2).lognormal(0.0, 0.5, 200),
        np.zeros(100),
        np.ones(100),
    ],
)
def test_slow_starts_spikes_drifts_and_noise_are_one_level(sums: np.ndarray) -> None:
    assert not list(two_levels(profile(sums)))


def test_layers_that_seldom_run_are_left_out() -> None:
    times = profile(both(3.0))
    seldom = LayerTime("x", 0, None, 9.0, None, None, (9.0,) * 7)
    assert list(two_levels(LayerTimes((*times.records, seldom)))) and not list(two_levels(LayerTimes((seldom,))))


def test_no_lint_and_no_gate_believes_them() -> None:
    plan, once = (EnginePlan(plan_of(chain("l0", "l1")).engine, profile(sums)) for sums in (both(3.0), RUN))
    assert [note.code for note in Performance(plan).contradicted] == ["times-of-two-runs"]
    one = finding("contradictory-times", plan)
    assert one.severity is Severity.ERROR and "from iteration 101 on" in one.message
    (result,) = judge(PlanDiff(once, plan), [read_condition("layer-sum>+3%", "trex.toml:1")])
    assert result.status is GateStatus.INCONCLUSIVE and "times-of-two-runs" in result.words


def test_a_real_run_and_two_of_it(shared_engines: Path) -> None:
    folder = shared_engines / "trt10.1-alexnet-onnx"
    assert "times-of-two-runs" not in {note.code for note in load(folder).notes}
    times = json.loads((folder / "alexnet.layer_latency.json").read_bytes())
    for factor, severity in ((1.3, "warning"), (2.0, "problem"), (3.0, "problem")):
        twice = {name: ms + [factor * one for one in ms] for name, ms in times.items()}
        (note,) = two_levels(read_profile(json.dumps(twice).encode()))
        assert note.severity == severity and f"{factor:g} times as long from iteration 101 on" in note.message


@pytest.mark.parametrize("times", [[1e-200] * 15 + [1e10] * 15, [1e-320] * 15 + [1e3] * 15, [1e300] * 15 + [1.0] * 15])
def test_extreme_times_are_no_levels(times: list[float]) -> None:
    profile = LayerTimes((LayerTime("a", 0, None, None, None, None, samples_ms=tuple(times)),), 30, "m.profile.json")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all("inf" not in note.message for note in two_levels(profile))
