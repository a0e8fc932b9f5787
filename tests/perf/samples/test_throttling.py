"""Telemetry and per-query times."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest

from trex.core.telemetry import Stage, Telemetry
from trex.perf.samples.series import spearman
from trex.perf.samples.throttling import throttling_of


def telemetry(clocks, busy=None, reasons=None, stages=()) -> Telemetry:
    count = len(clocks)
    columns = {"sm_clock_mhz": array("d", clocks)}
    if busy is not None:
        columns["gpu_utilization_pct"] = array("d", busy)
    return Telemetry([0.1 * index for index in range(count)], columns, reasons or ((),) * count, stages)


def test_a_clock_that_falls_shows_in_the_times():
    # the run begins at 0.5 s; from 1.5 s on the clock is held at two thirds, and an inference takes half as long again
    clocks = [210.0] * 5 + [1500.0] * 10 + [1000.0] * 10
    busy = [0.0] * 5 + [99.0] * 20
    reasons = ((),) * 15 + (("software-power-cap",),) * 10
    starts = np.arange(0, 2000, 4.0)
    times = np.where(starts < 1000, 2.0, 3.0) + 0.001 * np.sin(starts)
    result: Any = throttling_of(telemetry(clocks, busy, reasons, (Stage("profile", 0.0, 2.45),)), starts, times)
    assert result.was_slowed and result.reasons == ("software-power-cap",)
    assert result.slowed_s == pytest.approx(0.9) and result.watched_s == pytest.approx(2.4)
    assert (result.lowest_mhz, result.highest_mhz) == (1000.0, 1500.0) and result.clock_range_pct == pytest.approx(40.0)
    assert result.correlation < -0.8 and result.intervals == 20


def test_steady():
    result: Any = throttling_of(telemetry([1500.0] * 20, [99.0] * 20), np.arange(0, 1900, 4.0), np.full(475, 2.0))
    assert not result.was_slowed and result.clock_range_pct == 0.0
    assert result.correlation is None and result.correlation_reason == "the clock or the times are constant"


def test_what_cannot_be_known():
    result: Any = throttling_of(telemetry([1500.0] * 20), np.arange(5.0), np.ones(5))
    assert result.correlation is None and "unknown when the GPU began" in result.correlation_reason
    assert (
        throttling_of(telemetry([1500.0] * 20, [99.0] * 20)).correlation_reason == "no per-query times with start times"
    )
    few = throttling_of(telemetry([1500.0] * 5, [99.0] * 5), np.arange(0, 500, 4.0), np.ones(125))
    assert few.correlation_reason == "only 5 readings of the clock fall into the run (at least 8)"
    nothing = throttling_of(Telemetry([], {}, ()), np.arange(5.0), np.ones(5))
    assert nothing.lowest_mhz is None and nothing.watched_s == 0.0 and nothing.clock_range_pct is None
    unread = throttling_of(telemetry([float("nan")] * 9, [99.0] * 9), np.arange(5.0), np.ones(5))
    assert unread.median_mhz is None


def test_spearman_as_scipy():
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(0)
    first, second = generator.integers(0, 9, 50).astype(float), generator.normal(size=50)
    assert spearman(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)
    assert spearman(np.ones(5), second[:5]) is None
