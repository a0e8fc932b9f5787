"""Repetitions are of one engine; the mean of different ones is the time of none."""

from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import permutations

import pytest

from tests.compare.predicted import predicted
from tests.compare.profiled import made
from trex.compare.one_engine import _VARYING, check_engines
from trex.compare.run_settings import SETTINGS
from trex.compare.series import EngineSeries
from trex.core.errors import TrexError
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

NAMES = ("resnet18-fp16", "resnet18-int8", "transformer-fp16")


def again(name: str, factor: float) -> EnginePlan:
    """Another run of an example engine."""
    plan = made(name)
    assert plan.query_times is not None
    columns = {
        key: array("d", (factor * value for value in values)) for key, values in plan.query_times.columns.items()
    }
    return EnginePlan(
        plan.engine, plan.layer_times, replace(plan.query_times, columns=columns), build_metadata=plan.build_metadata
    )


def test_what_may_vary_is_a_setting() -> None:
    assert set(_VARYING) <= {setting.name for setting in SETTINGS}


@pytest.mark.parametrize("name", NAMES)
def test_runs_of_one_engine(name: str) -> None:
    runs = [again(name, factor) for factor in (1.0, 1.01, 1.02, 1.03)]
    assert EngineSeries(runs[0], [runs[1]], repeats=[[runs[2]], [runs[3]]]).comparisons
    assert EngineSeries(runs[0], [runs[0]], repeats=[[runs[2]], [runs[2]]]).comparisons
    for side in range(2):
        repeats = [[runs[2]], [runs[3], runs[3] if side else runs[1]]]
        with pytest.raises(TrexError, match="the same run is given twice"):
            EngineSeries(runs[0], [runs[1]], repeats=repeats)


@pytest.mark.parametrize("names", list(permutations(NAMES, 2)))
@pytest.mark.parametrize("side", [0, 1])
def test_other_engines_among_them_are_refused(names: tuple[str, str], side: int) -> None:
    plan = again(names[0], 1.0)
    repeats = [[again(names[1], 1.01)], [again(names[0], 1.02)]]
    with pytest.raises(TrexError, match=r"not runs of one engine: .*: (build option|precision|different models)"):
        EngineSeries(plan, [plan], repeats=repeats if side == 0 else repeats[::-1])


def test_another_batch_is_another_engine() -> None:
    with pytest.raises(TrexError, match="input shapes"):
        EngineSeries(predicted(1.0), [predicted(1.0)], repeats=[[predicted(1.0, batch=8)]])


def test_a_run_without_a_gpu_does_not_let_two_gpus_be_one() -> None:
    runs = [Performance(predicted(1.0, gpu=gpu)) for gpu in ("", "NVIDIA A100", "NVIDIA T4")]
    check_engines(runs[:2])
    with pytest.raises(TrexError, match="GPU"):
        check_engines(runs)


def test_a_setting_that_the_run_that_knows_most_does_not_know_is_compared() -> None:
    runs = [Performance(predicted(1.0))]
    for streams in ("1", "4"):
        plan = predicted(1.0, gpu="")
        plan.metadata = replace(plan.metadata, inference_options={"Inference Streams": streams})
        runs.append(Performance(plan))
    for index in (1, 2):
        check_engines([runs[0], runs[index]])
    with pytest.raises(TrexError, match=r"inference streams: 1 vs\. 4"):
        check_engines(runs)
