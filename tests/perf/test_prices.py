"""Prices of layers: without the cost of timing them, never more than GPU compute."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.factories import chain, engine, layer, time
from trex.core.metadata import LatencySummary, Metadata
from trex.core.timings import LayerTime, LayerTimes
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.perf.prices import COMPUTE, LAYERS, Prices
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_units import USUAL_OVERHEAD_MS


def prices(*ms: float | None, compute: float | None = None, streams: tuple[int, ...] = ()) -> Prices:
    layers = [
        layer(f"l{at}", inputs=(f"t{at}",), outputs=(f"t{at + 1}",), stream=streams[at] if streams else None)
        for at in range(len(ms))
    ]
    records = tuple(time(f"l{at}", value) for at, value in enumerate(ms) if value is not None)
    latency = {} if compute is None else {"GPU Compute Time": LatencySummary(compute, compute, compute, compute, {})}
    plan = EnginePlan(engine(*chain(*layers)), LayerTimes(records, 10), metadata=Metadata(latency=latency))
    return Performance(plan).prices


def test_the_cost_of_timing_each_layer_comes_off_first() -> None:
    result = prices(0.104, 0.054, 0.054, compute=0.2)
    assert (result.total_ms, result.kind) == (0.2, COMPUTE)
    assert result.overhead_ms == pytest.approx(0.004)
    assert result.ms.tolist() == pytest.approx([0.1, 0.05, 0.05])
    assert result.of_time.tolist() == pytest.approx([0.1 / 0.104, 0.05 / 0.054, 0.05 / 0.054])


def test_a_layer_shorter_than_that_costs_nothing_and_the_others_add_up_to_compute() -> None:
    result = prices(0.110, 0.101, 0.001, compute=0.2)
    assert result.overhead_ms == pytest.approx(0.004) and result.ms[2] == 0.0
    assert result.ms.sum() == pytest.approx(0.2)
    assert result.ms[0] / result.ms[1] == pytest.approx(0.106 / 0.097)


def test_a_larger_difference_has_other_causes_which_scale_with_the_time() -> None:
    result = prices(0.4, 0.2, compute=0.3)
    assert result.overhead_ms == USUAL_OVERHEAD_MS
    assert result.ms.tolist() == pytest.approx([0.3 * 0.392 / 0.584, 0.3 * 0.192 / 0.584])


def test_gaps_between_layers_belong_to_none() -> None:
    result = prices(0.1, 0.1, compute=0.3)
    assert (result.total_ms, result.ms.tolist()) == (0.3, [0.1, 0.1])


def test_without_gpu_compute_times_are_prices() -> None:
    result = prices(0.1, None, 0.2)
    assert (result.total_ms, result.kind, result.overhead_ms) == (pytest.approx(0.3), LAYERS, 0.0)
    assert result.of_time.tolist() == pytest.approx([1.0, math.nan, 1.0], nan_ok=True)
    assert prices(None, None, compute=0.2).total_ms is None


def test_layers_of_two_streams_overlap_without_any_overhead() -> None:
    result = prices(0.1, 0.1, 0.1, compute=0.2, streams=(0, 0, 1))
    assert result.overhead_ms == 0.0 and result.ms.tolist() == pytest.approx([0.2 / 3] * 3)
    assert [note.code for note in result.notes] == ["layers-overlap"]
    assert prices(0.102, 0.102, 0.1, compute=0.2, streams=(0, 0, 1)).overhead_ms == pytest.approx(0.002)


def test_averages_price_layers_where_one_has_no_median() -> None:
    records = (LayerTime("l0", 0, 20.0, 2.0, 1.0, None), LayerTime("l1", 0, 30.0, 3.0, None, None))
    layers = chain(layer("l0", inputs=("t0",), outputs=("t1",)), layer("l1", inputs=("t1",), outputs=("t2",)))
    assert Performance(EnginePlan(engine(*layers), LayerTimes(records, 10))).prices.ms.tolist() == [2.0, 3.0]


def test_prices_of_real_engines_add_up_to_compute(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        performance = Performance(load(folder))
        result, plan = performance.prices, performance.plan
        if result.kind == COMPUTE and plan.layers_ms > (result.total_ms or 0.0):
            assert result.ms.sum() == pytest.approx(result.total_ms), folder.name
            assert 0.0 < result.overhead_ms <= USUAL_OVERHEAD_MS, folder.name
        headroom = performance.headroom_ms[performance.headroom_ms > 0]
        assert result.total_ms is None or headroom.sum() <= result.total_ms, folder.name


def test_a_time_of_zero_is_priced_at_nothing_and_has_no_share() -> None:
    result = prices(0.0, 0.1, None, compute=0.05)
    assert result.of_time.tolist() == pytest.approx([0.0, 0.5, math.nan], nan_ok=True)
    assert result.ms.tolist() == pytest.approx([0.0, 0.05, math.nan], nan_ok=True)


def test_nothing_is_priced_without_times() -> None:
    result = prices(None, None, compute=0.2)
    assert result.kind == LAYERS and result.total_ms is None and result.notes == ()
    assert result.ms.dtype == result.of_time.dtype == float
    assert all(math.isnan(value) for value in (*result.ms, *result.of_time))


def test_layers_that_fill_compute_have_neither_overhead_nor_notes() -> None:
    assert prices(0.125, 0.125, compute=0.25).notes == prices(0.1, 0.1, compute=0.3).notes == ()


def test_short_streams_are_not_worth_a_note() -> None:
    # Of 1 ms a second stream has 0.04, less than 5 %: the longest stream takes all of the overhead.
    result = prices(0.48, 0.48, 0.04, compute=0.95, streams=(0, 0, 1))
    assert result.notes == () and result.overhead_ms == pytest.approx((0.96 - 0.95) / 2)
    # Exactly 5 % is worth one. The numbers have no rounding error.
    assert prices(118.75, 6.25, compute=100.0, streams=(0, 1)).notes != ()


def test_the_note_on_streams_in_full() -> None:
    (note,) = prices(0.1, 0.1, 0.1, compute=0.2, streams=(0, 0, 1)).notes
    assert note.severity == "info" and note.message == (
        "layers run on 2 streams and overlap: savings are shares of GPU compute, and a layer saves less where another "
        "stream takes longer"
    )
