"""The kernels that take most time, all layers of a kernel together.

What it shows: which kernels matter; the table of tactics and trex explain KERNEL take their names apart.
"""

from __future__ import annotations

from trex.plan.kernels import kernel_of
from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, NOT_PROFILED
from trex.views.plot import Axis, Bars, Empty, Plot

MOST = 20


def make(subject: Subject) -> Plot | Empty:
    plan = subject.plan
    if plan is None or not plan.layers:
        return NO_LAYERS
    sums: dict[str, float] = {}
    kinds: dict[str, str] = {}
    for layer, time in zip(plan.layers, plan.times, strict=True):
        if time is not None and time.average_ms is not None:
            name = layer.tactic or "TensorRT (no kernel reported)"
            sums[name] = sums.get(name, 0.0) + time.average_ms
            kinds.setdefault(name, kernel_of(layer).kind or layer.type)
    if not sums:
        return NOT_PROFILED
    names = sorted(sums, key=lambda name: -sums[name])[:MOST]
    return Bars(
        "Slowest tactics",
        names,
        [sums[name] for name in names],
        Axis("kernel"),
        Axis("sum of average times", "ms"),
        keys=[kinds[name] for name in names],
        key_title="kind",
        is_horizontal=True,
        shows_names=False,
        note=f"the first {MOST} of {len(sums)} kernels" if len(sums) > MOST else "",
    )


CHART = Chart("Slowest tactics", "tactics", 20, make)
