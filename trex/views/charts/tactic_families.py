"""Time by the library that the kernels come from, and whether they use tensor cores.

What it shows: time of kernels that do not use tensor cores although they multiply is the first place to look at.
"""

from __future__ import annotations

from trex.plan.kernels import kernel_of
from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, NOT_PROFILED
from trex.views.plot import Axis, Bars, Empty, Plot

_COLORS = {"on tensor cores": "#76b900", "not on tensor cores": "#cc3311", "the name does not say": "#a0a0a0"}
_WORDS = {True: "on tensor cores", False: "not on tensor cores", None: "the name does not say"}


def make(subject: Subject) -> Plot | Empty:
    plan = subject.plan
    if plan is None or not plan.layers:
        return NO_LAYERS
    sums: dict[tuple[str, str], float] = {}
    for layer, time in zip(plan.layers, plan.times, strict=True):
        if time is None or time.average_ms is None:
            continue
        kernel = kernel_of(layer)
        family = kernel.family or kernel.library or ("no known family" if layer.tactic else "no kernel reported")
        key = (family, _WORDS[kernel.tensor_core])
        sums[key] = sums.get(key, 0.0) + time.average_ms
    if not sums:
        return NOT_PROFILED
    total = {family: sum(each for key, each in sums.items() if key[0] == family) for family, _ in sums}
    keys = sorted(sums, key=lambda key: (-total[key[0]], key))
    return Bars(
        "Time by tactic family",
        [family for family, _ in keys],
        [sums[key] for key in keys],
        Axis("family"),
        Axis("sum of average times", "ms"),
        keys=[words for _, words in keys],
        key_title="products",
        colors=_COLORS,
    )


CHART = Chart("Time by tactic family", "tactics", 10, make)
