"""What telemetry says of a measurement."""

from __future__ import annotations

from array import array

import pytest

from trex.core.telemetry import Stage, Telemetry
from trex.perf.samples.throttling import Throttling, throttling_of


def telemetry(clocks, busy=None, reasons=None, stages=()) -> Telemetry:
    count = len(clocks)
    columns = {"sm_clock_mhz": array("d", clocks)}
    if busy is not None:
        columns["gpu_utilization_pct"] = array("d", busy)
    return Telemetry([0.1 * index for index in range(count)], columns, reasons or ((),) * count, stages)


def known_throttling(samples: Telemetry) -> Throttling:
    result = throttling_of(samples)
    assert result is not None
    return result


def test_a_clock_that_is_held_back():
    clocks = [210.0] * 5 + [1500.0] * 10 + [1000.0] * 10
    busy = [0.0] * 5 + [99.0] * 20
    reasons = ((),) * 15 + (("software-power-cap",),) * 10
    result = known_throttling(telemetry(clocks, busy, reasons, (Stage("profile", 0.0, 2.45),)))
    assert result.was_slowed and result.reasons == ("software-power-cap",)
    assert result.slowed_s == pytest.approx(0.9) and result.watched_s == pytest.approx(2.4)
    assert (result.lowest_mhz, result.highest_mhz) == (1000.0, 1500.0) and result.clock_range_pct == pytest.approx(40.0)


def test_steady():
    result = known_throttling(telemetry([1500.0] * 20, [99.0] * 20))
    assert not result.was_slowed and result.clock_range_pct == 0.0


def test_what_cannot_be_known():
    nothing = known_throttling(Telemetry([], {}, ()))
    assert nothing.lowest_mhz is None and nothing.watched_s == 0.0 and nothing.clock_range_pct is None
    unread = known_throttling(telemetry([float("nan")] * 9, [99.0] * 9))
    assert unread.median_mhz is None


@pytest.mark.parametrize(
    ("reasons", "watched_s"),
    [
        ([None] * 5, 0.0),
        ([()] * 5, 0.4),
        ([("gpu-idle",)] * 2 + [None] * 3, 0.2),
        ([None] * 3 + [()] * 2, 0.1),
        ([("SW Thermal Slowdown",)] * 5, 0.0),
        ([("reason-0x800", "sync-boost")] * 5, 0.4),
    ],
)
def test_the_gpu_is_watched_while_its_reasons_are_read(reasons: list[tuple[str, ...] | None], watched_s: float) -> None:
    result = known_throttling(telemetry([1500.0] * 5, [99.0] * 5, tuple(reasons)))
    assert result.watched_s == pytest.approx(watched_s) and result.is_known is (watched_s > 0.0)
    assert result.slowed_s in (0.0, pytest.approx(watched_s))


def test_telemetry_of_a_build_alone_says_nothing_of_a_measurement():
    assert throttling_of(telemetry([700.0] * 9, [99.0] * 9, stages=(Stage("build", 0.0, 1.0),))) is None
