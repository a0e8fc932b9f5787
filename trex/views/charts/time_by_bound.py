"""Time by what bounds the layers: tensor cores, CUDA cores, memory, L2, the launch.

What it shows: what to work on. Much time bound by memory asks for narrower types and fusion, bound by launches for
fewer kernels or a CUDA graph, bound by tensor cores for less arithmetic.
"""

from __future__ import annotations

from trex.views.bound_colors import BOUND_COLORS
from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, NOT_PROFILED
from trex.views.plot import Axis, Bars, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    performance = subject.performance
    if performance is None or not performance.plan.layers:
        return NO_LAYERS
    roofline = performance.roofline
    sums: dict[str, float] = {}
    for bound, time in zip(roofline.bounds, roofline.time_ms.tolist(), strict=True):
        if time == time:
            sums[bound.value] = sums.get(bound.value, 0.0) + time
    if not sums:
        return NOT_PROFILED
    names = sorted(sums, key=lambda name: -sums[name])
    values, axis = [sums[name] for name in names], Axis("sum of average times", "ms")
    return Bars("Time by bound", names, values, Axis("bound by"), axis, keys=names, colors=BOUND_COLORS)


CHART = Chart("Time by bound", "roofline", 30, make)
