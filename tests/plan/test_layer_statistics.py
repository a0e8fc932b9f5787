"""Medians and averages of layer times: which are used, and a Note where they differ."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import chain, engine, layer
from trex.core.timings import LayerTime, LayerTimes
from trex.engine_plan import load
from trex.ingest.profile_json import read_profile
from trex.plan.engine_plan import EnginePlan
from trex.plan.layer_statistics import slow_iterations, wrong_medians


def plan(*pairs: tuple[float | None, float | None]) -> EnginePlan:
    """Layers with these (average, median) times."""
    layers = [layer(f"l{at}", inputs=(f"t{at}",), outputs=(f"t{at + 1}",)) for at in range(len(pairs))]
    records = tuple(LayerTime(f"l{at}", 0, None, *pair, None) for at, pair in enumerate(pairs))
    return EnginePlan(engine(*chain(*layers)), LayerTimes(records, 10))


def test_medians_count_where_all_layers_have_them() -> None:
    assert plan((2.0, 1.0), (None, None)).layer_ms == (1.0, None)
    mixed = plan((2.0, 1.0), (3.0, None), (None, None))
    assert mixed.layer_ms == (2.0, 3.0, None) and mixed.layers_ms == 5.0 and mixed.statistic == "average"
    assert mixed.total_runtime == 5.0
    assert list(mixed.df["latency.avg_time"][:2]) == [2.0, 3.0]
    assert plan((2.0, None)).statistic == "average" and plan((None, 2.0), (2.0, 1.0)).statistic == "median"


def test_a_median_of_zero_is_of_a_layer_that_seldom_runs() -> None:
    assert plan((0.5, 0.0)).layer_ms == (0.5,)


def test_per_iteration_times_have_a_median() -> None:
    times = read_profile(json.dumps({"l0": [1.0, 1.0, 10.0]}).encode())
    (record,) = times.records
    assert (record.ms, record.average_ms) == (1.0, 4.0)


def test_a_note_where_they_differ_by_more_than_a_tenth() -> None:
    (note,) = slow_iterations(plan((1.2, 1.0), (1.0, 1.0)).times[:1])
    assert note.code == "averages-off-medians" and "some iterations were much slower" in note.message
    assert not slow_iterations(plan((1.09, 1.0)).times) and not slow_iterations(plan((1.2, None)).times)
    assert [each.code for each in plan((1.2, 1.0)).notes] == ["averages-off-medians"]


def test_the_slow_run_says_so(shared_engines: Path) -> None:
    slow = load(shared_engines / "trt8.6-controlnet-slow-run")
    (note,) = [note for note in slow.notes if note.code == "averages-off-medians"]
    assert "averages add up to 15.29 ms, their medians to 12.97 ms" in note.message
    assert slow.layers_ms == pytest.approx(12.966, abs=0.001) and slow.total_runtime == pytest.approx(15.295, abs=0.001)
    for name in ("trt8.6-controlnet-a10", "trt8.4-resnet18-a100-qat"):
        assert "averages-off-medians" not in {note.code for note in load(shared_engines / name).notes}


@pytest.mark.parametrize(
    ("count", "average", "median", "is_wrong"),
    [
        (1, 0.0033, 0.33, True), (2, 1.0, 0.9, True), (2, 1.0, 1.0, False), (1, 1.0, 0.99995, False),
        (10, 1.0, 2.1, True), (10, 1.0, 1.9, False), (10, 1.0, 0.0, False), (None, 0.5, 1.2, True),
        (10, 0.0, 0.0001, False), (None, 1.0, 0.5, False),
    ],
)  # fmt: skip
def test_medians_that_no_iterations_have(count: int | None, average: float, median: float, is_wrong: bool) -> None:
    """Half of the iterations take the median or longer."""
    notes = wrong_medians(plan((average, median)).times, count, "p.json")
    assert [(note.code, note.severity, note.where) for note in notes] == (
        [("medians-contradict", "problem", "p.json")] if is_wrong else []
    )


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=30))
def test_no_times_have_such_medians(times: list[float]) -> None:
    pair = (float(np.mean(times)), float(np.median(times)))
    assert not wrong_medians(plan(pair).times, len(times))


def test_a_large_layer_whose_average_is_far_off_is_noted() -> None:
    others = [(1.0, 1.0)] * 30
    (note,) = plan(*others, (1.0, 0.1)).notes
    assert note.code == "average-off-median" and "'l30': 1 ms, median 0.1 ms" in note.message
    assert not plan(*others, (1.0, 0.4), (0.1, 0.01)).notes
