"""Folder of real engines → Measured: those that tell their times and their GPU, for constants and their judges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from trex.core.errors import TrexError
from trex.core.timings import LayerTime
from trex.perf.device import Device
from trex.perf.known_devices import find_device
from trex.perf.recognize import device_of
from trex.perf.work.of_plan import own_works_of
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.simulator.timing.fit import Measured


def real_plans(folder: Path) -> dict[str, EnginePlan]:
    """{folder's name: its engine}, one folder each. Raises TrexError where there is no folder, or no engine in one."""
    if not folder.is_dir():
        raise TrexError(
            f"there are no real engines at {folder}", "name a folder with one folder for each engine", str(folder)
        )
    return {each.name: load_plan(EnginePlan, each) for each in sorted(folder.iterdir()) if each.is_dir()}


def measured_of(plans: dict[str, EnginePlan]) -> tuple[list[Measured], list[str]]:
    """(the engines that have a profile and tell, by file or by the folder's name, on which GPU they ran; why the others
    are left out)."""
    measured, left_out = [], []
    for name, plan in plans.items():
        device = device_of(plan) or _named(name)
        if not plan.is_profiled:
            left_out.append(f"{name}: left out, there is no profile")
        elif device is None:
            left_out.append(f"{name}: left out, nothing tells on which GPU it ran")
        else:
            release = name.partition("-")[0].removeprefix("trt")
            works = own_works_of(plan)
            measured.append(Measured(name, device, plan.layers, works, times_ms(plan.times), compute_ms(plan), release))
    return measured, left_out


def times_ms(times: Sequence[LayerTime | None]) -> list[float | None]:
    """The median of each layer's time, the mean where no median is told."""
    return [None if time is None else time.median_ms or time.average_ms for time in times]


def compute_ms(plan: EnginePlan) -> float | None:
    """The median GPU compute time of an inference, warm-up aside; None where no query is told."""
    queries = plan.query_times
    if queries is None or len(queries) <= (queries.warm_up_rows or 0):
        return None
    return float(median(queries.columns["computeMs"][queries.warm_up_rows or 0 :]))


def _named(name: str) -> Device | None:
    """The device that a folder's name ends with (``…-a10``), None where it ends with something else."""
    try:
        return find_device(name.rpartition("-")[2])
    except TrexError:
        return None
