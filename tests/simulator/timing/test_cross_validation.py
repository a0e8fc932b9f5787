"""Cross-validation of real engines, and its arithmetic on synthetic ones."""

from __future__ import annotations

import pytest

from tests.factories import chain
from tests.simulator.timing.round_device import a_device, convolution, copy, prior_values
from trex.perf.device import Device
from trex.perf.work.plan_works import work_of
from trex.simulator.published import observed_sums, published_inferences
from trex.simulator.real_engines import measured_of, real_plans
from trex.simulator.timing.constants import Constants, fitted
from trex.simulator.timing.cross_validation import (
    LEFT_OUT,
    HoldOutScore,
    cross_validate,
    fit_all,
    intervals_of,
    training_set,
)
from trex.simulator.timing.fit import MeasuredEngine
from trex.simulator.timing.intervals import COMPUTE, OTHER, SAME_ARCHITECTURE, SAME_GPU
from trex.simulator.timing.prediction import predict
from trex.simulator.validation import kept_figures

LAYERS = chain(
    *(convolution(f"c{number}", batch=number + 1, out=64 * (number % 3 + 1)) for number in range(8)),
    *(copy(f"r{number}", (number + 1, 64, 56, 56)) for number in range(8)),
)


def engine_of(engine: str, device: Device, factor: float = 1.0) -> MeasuredEngine:
    """An engine whose times are those of the priors, times a factor."""
    constants = Constants(prior_values((8, 0)))
    works = [work_of(item) for item in LAYERS]
    times = [factor * item.ms for item in predict(LAYERS, device, works, constants).layers]
    return MeasuredEngine(engine, device, LAYERS, works, times, 0.9 * sum(times))


ENGINES = [
    engine_of("one", a_device()),
    engine_of("two", a_device(), 1.2),
    engine_of("three", a_device(name="NVIDIA Square", sm_count=56)),
    engine_of("four", a_device(name="NVIDIA Early", compute_capability=(7, 5), l2_mib=6.0)),
]


def score(engine: str, measured: list[MeasuredEngine], left_out: str = "engine") -> HoldOutScore:
    scores = cross_validate(measured)
    return next(score for score in scores if (score.engine, score.left_out) == (engine, left_out))


def test_the_engines_left_out_set_the_distance():
    assert [score("one", ENGINES, left_out).distance for left_out in LEFT_OUT] == [SAME_GPU, SAME_ARCHITECTURE, OTHER]
    assert score("four", ENGINES).distance == OTHER


def test_an_engine_like_the_others_is_predicted():
    result = score("one", ENGINES)
    assert result.spearman is not None and result.spearman > 0.98
    assert 0.9 < result.total_ratio < 1.25
    assert not result.unknown_ratios
    assert result.compute_ratio is not None and 0.8 < result.compute_ratio < 1.3


def test_an_engine_has_no_influence_on_its_own_prediction():
    """Twice as slow as before, it is predicted as before."""
    slow = [engine_of("one", a_device(), 2.0), *ENGINES[1:]]
    assert score("one", slow).total_ratio == pytest.approx(score("one", ENGINES).total_ratio / 2)


def test_only_engines_gpus_and_architectures_can_be_left_out():
    with pytest.raises(ValueError, match="is none of engine, GPU, architecture"):
        training_set(ENGINES[0], ENGINES, "planet")


def test_intervals_contain_every_score():
    scores = cross_validate(ENGINES)
    assert len(scores) == len(ENGINES) * len(LEFT_OUT)
    result = intervals_of(scores)
    for item in scores:
        interval, ratio = result[COMPUTE][item.distance], item.compute_ratio
        assert ratio is not None
        if item.left_out == "engine":
            assert interval["low"] <= 1 / ratio + 1e-3 and 1 / ratio - 1e-3 <= interval["high"]


def test_the_profilers_share_is_found_again():
    launch = 0.006
    layers_ms = [0.05] * 10
    device = a_device()
    works = [work_of(item) for item in LAYERS[:10]]
    compute = sum(layers_ms) - 10 * 0.5 * launch
    constants = fit_all([MeasuredEngine("e", device, LAYERS[:10], works, layers_ms, compute)])
    share = constants.values["profiler share of 8.0"]
    assert share * constants.launch_ms((8, 0)) == pytest.approx(0.5 * launch, rel=0.01)


def test_real_engines_are_predicted_by_constants_fitted_without_them(shared_engines):
    measured, left_out = measured_of(real_plans(shared_engines))
    assert len(measured) >= 13 and all("left out" in line for line in left_out)
    for item in cross_validate(measured):
        assert item.spearman is not None
        if item.left_out == "engine" and "resnet18-a100" in item.engine:
            assert item.spearman >= 0.9, item.engine
            assert 1 / 1.35 <= item.total_ratio <= 1.35, item.engine
        assert item.spearman >= 0.75, item.engine
        assert 0.7 <= item.total_ratio <= 1.4, item.engine


def test_the_shipped_constants_are_those_of_the_real_engines(shared_engines):
    measured, _ = measured_of(real_plans(shared_engines))
    inferences = published_inferences()
    kernels = [one.predicted(fitted()).kernel_count for one in inferences]
    assert kernels == [row["kernels"] for row in kept_figures()["published"]], (
        "trex validate FOLDER --save validated.json"
    )
    fresh, kept = fit_all(measured, observed_sums(inferences)).values, fitted().values
    assert set(fresh) == set(kept)
    for name, value in fresh.items():
        assert kept[name] == pytest.approx(value, rel=0.01), f"{name}: run utils/fit_simulated_times.py"
