"""Folder of real engines → MeasuredEngine: the engines with a profile on a GPU whose rates are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from trex.core.errors import TrexError
from trex.core.timings import LayerTime
from trex.perf.device import Device
from trex.perf.known_devices import find_device
from trex.perf.recognize import device_of
from trex.perf.work.plan_works import own_works_of
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.simulator.reference_engines import HELD_OUT
from trex.simulator.timing.fit import MeasuredEngine
from trex.simulator.timing.machine import Machine


def real_plans(folder: Path) -> dict[str, EnginePlan]:
    """{subfolder: its engine}. Raises TrexError if the folder does not exist or a subfolder holds no engine."""
    if not folder.is_dir():
        raise TrexError(
            f"there are no real engines at {folder}", "name a folder with one folder for each engine", str(folder)
        )
    return {path.name: load_plan(EnginePlan, path) for path in sorted(folder.iterdir()) if path.is_dir()}


def measured_of(plans: dict[str, EnginePlan]) -> tuple[list[MeasuredEngine], list[str]]:
    """(engines that constants can be fitted to, one line with the reason for each of the others).

    An engine needs a profile and a GPU, named by its files or by the end of the folder's name, whose rates are known.
    """
    measured, left_out = [], []
    for name, plan in plans.items():
        device = device_of(plan) or _device_in_name(name)
        reason = "held out of the fit to test it" if name in HELD_OUT else _unusable_reason(plan, device)
        if reason or device is None:
            left_out.append(f"{name}: left out, {reason}")
            continue
        release = name.partition("-")[0].removeprefix("trt")
        works = own_works_of(plan)
        measured.append(
            MeasuredEngine(name, device, plan.layers, works, times_ms(plan.times), compute_ms(plan), release)
        )
    return measured, left_out


def _unusable_reason(plan: EnginePlan, device: Device | None) -> str:
    """Why constants cannot be fitted to an engine; "" if they can."""
    if not plan.is_profiled:
        return "no profile"
    if device is None:
        return "unknown GPU"
    try:
        Machine(device)
    except TrexError as error:
        return error.message
    return ""


def times_ms(times: Sequence[LayerTime | None]) -> list[float | None]:
    """Median time of each layer, the mean where there is no median."""
    return [None if time is None else time.median_ms or time.average_ms for time in times]


def compute_ms(plan: EnginePlan) -> float | None:
    """Median GPU compute time of an inference without warm-up; None without per-query times."""
    queries = plan.query_times
    if queries is None or len(queries) <= (queries.warm_up_rows or 0):
        return None
    return float(median(queries.columns["computeMs"][queries.warm_up_rows or 0 :]))


def _device_in_name(name: str) -> Device | None:
    """The device at the end of a folder's name (``…-a10``), None if there is none."""
    try:
        return find_device(name.rpartition("-")[2])
    except TrexError:
        return None
