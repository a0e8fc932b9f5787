"""Telemetry: times, reasons and stages of slowdowns."""

from __future__ import annotations

import math
from array import array

from trex.core.telemetry import Slowdown, Stage, Telemetry

POWER, HEAT, IDLE = ("software-power-cap",), ("hardware-thermal-slowdown",), ("gpu-idle",)


def telemetry(*reasons: tuple[str, ...] | None, stages: tuple[Stage, ...] = ()) -> Telemetry:
    """One sample per second."""
    return Telemetry(
        time_s=array("d", range(len(reasons))),
        columns={"power_w": array("d", [math.nan, *range(1, len(reasons))])},
        reasons=reasons,
        stages=stages,
    )


def test_stretches_are_found() -> None:
    samples = telemetry(IDLE, POWER, (*POWER, *HEAT), (), ("application-clocks",), HEAT, HEAT)
    assert samples.slowdowns() == (Slowdown(1, 3, (*POWER, *HEAT)), Slowdown(5, 6, HEAT))


def test_an_idle_or_configured_gpu_is_not_slowed() -> None:
    samples = telemetry(IDLE, (), ("application-clocks", "display-clocks"), None, ("reason-0x800",))
    assert samples.slowdowns() == ()


def test_a_stage_has_its_own_stretches() -> None:
    stages = (Stage("build", 0, 2.5), Stage("profile", 2.9))
    samples = telemetry(POWER, (), (), (), (), HEAT, stages=stages)
    assert samples.slowdowns("profile") == (Slowdown(5, 5, HEAT),)
    assert samples.slowdowns("draw") == ()


def test_the_highest_known_value() -> None:
    samples = telemetry((), (), (), stages=(Stage("build", 0, 1), Stage("short", 0.2, 0.3)))
    assert (samples.highest("power_w"), samples.highest("power_w", "build"), len(samples)) == (2, 1, 3)
    assert samples.highest("power_w", "short") is None and samples.highest("fan") is None
