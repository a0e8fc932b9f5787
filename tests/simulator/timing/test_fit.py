"""The fit finds constants again that it has not seen."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.simulator.timing.round_device import a_device, convolution, copy, prior_values
from trex.perf.work.plan_works import work_of
from trex.simulator.timing import time_kinds as kinds
from trex.simulator.timing.constants import Constants
from trex.simulator.timing.demand import Demand
from trex.simulator.timing.fit import MeasuredEngine, Observation, ObservedSum, fit, observations

TRUE = Constants(
    prior_values((8, 0)) | {"launch": 0.006, "compute share: convolution": 0.55, "memory share: reformat": 0.9}
)


def seen(constants: Constants = TRUE, noise: float = 0.0, engine: str = "e") -> list[Observation]:
    """Convolutions and copies of many sizes, timed by the constants."""
    draw = random.Random(7)
    rows = []
    for number in range(80):
        size = 0.002 * 1.1**number
        demand = (
            Demand(kinds.CONVOLUTION, size, size / 4, 0.0, 8, True)
            if number % 2
            else Demand(kinds.REFORMAT, 0.0, size, 0.0, 0, True)
        )
        ms = constants.layer_ms(demand, (8, 0)) * (1 + noise * draw.gauss(0, 1))
        rows.append(Observation(engine, "GPU", (8, 0), demand, ms))
    return rows


def test_constants_are_found_again():
    result = fit(seen())
    assert result.launch_ms((8, 0)) == pytest.approx(0.006, rel=0.2)  # as sure as its prior lets it be
    assert result.values["compute share: convolution"] == pytest.approx(0.55, rel=0.05)
    assert result.values["memory share: reformat"] == pytest.approx(0.9, rel=0.05)
    for item in seen():
        assert result.layer_ms(item.demand, (8, 0)) == pytest.approx(item.ms, rel=0.05 if item.ms > 0.1 else 0.15)


def test_one_slow_kernel_does_not_bend_them():
    rows = seen(noise=0.02)
    spoiled = [*rows, Observation("e", "GPU", (8, 0), rows[61].demand, 20 * rows[61].ms)]
    before, after = fit(rows).values, fit(spoiled).values
    assert after["compute share: convolution"] == pytest.approx(before["compute share: convolution"], rel=0.05)


def test_where_no_layer_tells_the_prior_stays():
    result = fit(seen()).values
    assert result["memory share: attention"] == pytest.approx(0.6)
    assert fit([]).values["launch"] == 0.004


def test_a_parameter_without_layers_is_that_which_it_is_like():
    result = fit(seen()).values
    for kind in ("compute", "memory"):
        assert result[f"{kind} share: GEMM"] == pytest.approx(result[f"{kind} share: convolution"], rel=1e-3)
    assert result["compute share: GEMM"] == pytest.approx(0.55, rel=0.05)


def test_layers_of_its_own_count_more():
    true = Constants(dict(TRUE.values) | {"compute share: GEMM": 0.9})
    rows = [replace(row, demand=replace(row.demand, kind=kinds.GEMM)) for row in seen(true)[1::2]]
    rows = [replace(row, ms=true.layer_ms(row.demand, (8, 0))) for row in rows]
    result = fit([*seen(), *rows]).values
    assert result["compute share: GEMM"] == pytest.approx(0.9, rel=0.06)
    assert result["compute share: convolution"] == pytest.approx(0.55, rel=0.06)


def test_layers_of_unknown_work_are_left_out():
    rows = seen()
    odd = Observation("e", "GPU", (8, 0), Demand(kinds.REGION, 0.0, 0.1, 0.0, 0, False), 50.0)
    assert fit([*rows, odd]).values["memory share: region"] == pytest.approx(0.5)


def test_the_same_layers_give_the_same_constants():
    assert fit(seen(noise=0.1)).values == fit(seen(noise=0.1)).values


def test_observations_are_the_kernels_that_have_a_time():
    layers = (convolution("a"), copy("b"), copy("c"))
    works = [work_of(item) for item in layers]
    measured = MeasuredEngine("e", a_device(), layers, works, (0.1, None, 0.2))
    assert [item.ms for item in observations(measured)] == [0.1, 0.2]


def test_sums_without_layer_times_show_a_constant_too():
    """Inferences of twenty equal kernels each, timed without the profiler's part."""
    profiler = {(8, 0): 0.004}
    sums: list[ObservedSum] = []
    for row in seen():
        each = TRUE.layer_ms(row.demand, (8, 0)) - profiler[8, 0]
        if each > 0.01:
            sums.append(ObservedSum((str(len(sums)), "GPU", "FP16"), (8, 0), {row.demand: 20}, 20 * each))
    result = fit([], sums, profiler)
    assert result.values["compute share: convolution"] == pytest.approx(0.55, rel=0.1)
    assert result.values["memory share: reformat"] == pytest.approx(0.9, rel=0.1)


def test_many_figures_of_one_group_weigh_as_the_root_of_their_number():
    row = seen()[79]
    slow = ObservedSum(("a", "GPU", "FP16"), (8, 0), {row.demand: 1}, 2 * row.ms)
    alone, together = fit([], [slow]), fit([], [slow] * 4)
    apart = fit([], [replace(slow, group=(str(number), "GPU", "FP16")) for number in range(4)])
    shares = [result.values["compute share: convolution"] for result in (alone, together, apart)]
    assert shares[0] > shares[1] > shares[2]
