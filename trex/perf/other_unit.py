"""Times and roofline → Note if the engine is off what its device needs by the factor of a wrong unit.

On 18 real engines the layers together take 1.3 to 3.5 times the roofline's time (tensor or CUDA cores, memory, L2,
launch), a single one up to 10 times; seconds and microseconds that are read as milliseconds are off by 1000.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from trex.core.counted import counted
from trex.core.layer import Role
from trex.core.note import Note
from trex.core.significant import significant
from trex.perf.cache import column
from trex.perf.roofline import FASTER_THAN_POSSIBLE, LAUNCH_MS, Roofline
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_notes import CONTRADICTED, TIMES_CONTRADICT

_FEWEST_SLOW = 5
"""Layers. Fewer may do much work that is not counted, such as sorting."""
_TOO_FAST = 1.5
"""Times GPU compute that the layers need at least, in the best case of all. On 13 real engines it is at most 0.71."""


def may_be_other_unit(plan: EnginePlan, query_ms: float | None, *, is_most: bool) -> bool:
    """Whether the times can be too long at all, with layers that take a launch each; or too short, if not is_most."""
    times = [time.ms for time in plan.times if time is not None and time.ms]
    if not times:
        return bool(query_ms) and not plan.is_profiled
    return math.fsum(times) > CONTRADICTED * LAUNCH_MS * len(times) if is_most else False


def other_unit(
    plan: EnginePlan, roofline: Roofline, query_ms: float | None, *, is_least: bool = True, is_most: bool = True
) -> tuple[Note, ...]:
    """At most one Note. query_ms: GPU compute of an inference, for engines without layer times. is_least, is_most:
    whether the run's shapes are at least, or at most, those of the roofline.
    """
    if roofline.device is None:
        return ()
    needed = np.maximum(np.maximum(roofline.memory_ms, roofline.l2_ms), LAUNCH_MS)
    needed = np.maximum(np.where(np.isnan(roofline.least_ms), np.nan, needed), roofline.compute_ms)
    times = column([None if time is None else time.ms for time in plan.times])
    known = (times > 0.0) & np.isfinite(times) & np.isfinite(needed)
    if known.any():
        layers, taken, usual = int(known.sum()), float(times[known].sum()), float(needed[known].sum())
        middle = float(np.median(times[known] / needed[known]))
        words = f"{counted(layers, 'layer takes', 'layers take')} {significant(taken, 3)} ms together"
    else:
        known = np.isfinite(needed)
        if plan.is_profiled or not query_ms or not query_ms > 0.0 or not known.any():
            return ()
        kernels = np.array([layer.role is Role.KERNEL for layer in plan.working_layers], dtype=np.bool_)
        is_most = is_most and bool(known[kernels].all())  # what is not known may take all the time
        layers, taken, usual = int(known.sum()), query_ms, float(needed[known].sum())
        middle = taken / usual
        words = f"an inference of {counted(layers, 'layer')} takes {significant(taken, 3)} ms"
    ratio = taken / usual
    is_slow = is_most and min(ratio, middle) > CONTRADICTED and layers >= _FEWEST_SLOW
    is_fast = is_least and max(ratio, middle) * CONTRADICTED < 1.0
    if not is_slow and not is_fast:
        return tuple(_too_fast(roofline, query_ms)) if is_least and query_ms and not plan.is_profiled else ()
    factor = f"{significant(ratio, 2)} times longer" if is_slow else f"{significant(1.0 / ratio, 2)} times shorter"
    return (
        Note(
            TIMES_CONTRADICT,
            f"{words}, {factor} than usual on {roofline.device.name}, as if the times were not in milliseconds",
            "export the files again with trtexec, which writes milliseconds; another GPU: --device NAME",
            severity="problem",
        ),
    )


def _too_fast(roofline: Roofline, query_ms: float) -> Iterator[Note]:
    """Without layer times, which would be judged one by one."""
    known = roofline.least_ms[np.isfinite(roofline.least_ms)]
    least = float(known.sum())
    if roofline.device is not None and least > _TOO_FAST * query_ms:
        message = (
            f"an inference takes {significant(query_ms, 3)} ms, and its {counted(len(known), 'layer')} at least "
            f"{significant(least, 3)} ms on {roofline.device.name}: the times are of other shapes, or of another GPU"
        )
        yield Note(FASTER_THAN_POSSIBLE, message, "keep the files of one engine and one run together")
