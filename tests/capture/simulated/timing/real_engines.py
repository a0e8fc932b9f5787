"""Real engines: folders beside the repository → Measured, for the fit and for the tests that judge it."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from trex.capture.simulated.timing.fit import Measured
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.perf.device import Device
from trex.perf.known_devices import find_device
from trex.perf.recognise import device_of
from trex.perf.work.of_plan import own_works_of
from trex.plan.engine_plan import EnginePlan


def measured_engines(folder: Path) -> tuple[list[Measured], list[str]]:
    """(the engines that have a profile and tell, by file or by the folder's name, on which GPU they ran; why the others
    are left out)."""
    measured, left_out = [], []
    for each in sorted(path for path in folder.iterdir() if path.is_dir()):
        plan = load(each)
        device = device_of(plan) or _named(each.name)
        if not plan.is_profiled:
            left_out.append(f"{each.name}: left out, there is no profile")
        elif device is None:
            left_out.append(f"{each.name}: left out, nothing tells on which GPU it ran")
        else:
            measured.append(_measured(each.name, plan, device))
    return measured, left_out


def _measured(name: str, plan: EnginePlan, device: Device) -> Measured:
    times = [None if time is None else time.median_ms or time.average_ms for time in plan.times]
    queries = plan.query_times
    compute = None
    if queries is not None and len(queries) > (queries.warm_up_rows or 0):
        compute = median(queries.columns["computeMs"][queries.warm_up_rows or 0 :])
    release = name.partition("-")[0].removeprefix("trt")
    return Measured(name, device, plan.layers, own_works_of(plan), times, compute, release)


def _named(name: str) -> Device | None:
    """The device that a folder's name ends with (``…-a10``), None where it ends with something else."""
    try:
        return find_device(name.rpartition("-")[2])
    except TrexError:
        return None
