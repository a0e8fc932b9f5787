"""Time by what bounds the layers: tensor cores, CUDA cores, memory, L2, the launch."""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, NOT_PROFILED, SUM_OF_TIMES
from trex.views.palette import BOUND_COLORS
from trex.views.plot import Axis, Bars, Empty


def _draw(subject: Subject) -> Bars | Empty:
    performance = subject.performance
    if performance is None or not performance.plan.layers:
        return NO_LAYERS
    sums: dict[str, float] = {}
    for bound, time in zip(performance.roofline.bounds, performance.roofline.time_ms.tolist(), strict=True):
        if time == time:
            sums[bound.value] = sums.get(bound.value, 0.0) + time
    if not sums:
        return NOT_PROFILED
    names = sorted(sums, key=lambda name: -sums[name])
    values = [sums[name] for name in names]
    return Bars(names, values, Axis("bound by"), SUM_OF_TIMES, keys=names, colors=BOUND_COLORS)


CHARTS = (
    Chart(
        "time-by-bound",
        "Time by bound",
        "Shows what to work on. Much time bound by memory asks for narrower types and fusion, bound by launches for "
        "fewer kernels or a CUDA graph, bound by tensor cores for less arithmetic.",
        _draw,
        "roofline",
    ),
)
