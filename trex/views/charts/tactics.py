"""Charts of kernels: time by family, and the kernels that take most time."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.layer import Layer
from trex.plan.engine_plan import EnginePlan
from trex.plan.kernels import kernel_of
from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, NOT_PROFILED, SUM_OF_TIMES
from trex.views.plot import Axis, Bars, Empty

MAX_KERNELS = 20
_TENSOR_CORES = {True: "on tensor cores", False: "not on tensor cores", None: "the name does not say"}
_COLORS = {"on tensor cores": "#76b900", "not on tensor cores": "#cc3311", "the name does not say": "#a0a0a0"}


def _timed_layers(plan: EnginePlan) -> Iterator[tuple[Layer, float]]:
    for layer, time in zip(plan.layers, plan.times, strict=True):
        if time is not None and time.average_ms is not None:
            yield layer, time.average_ms


def _families(subject: Subject) -> Bars | Empty:
    plan = subject.plan
    if plan is None or not plan.layers:
        return NO_LAYERS
    sums: dict[tuple[str, str], float] = {}
    totals: dict[str, float] = {}
    for layer, time_ms in _timed_layers(plan):
        kernel = kernel_of(layer)
        family = kernel.family or kernel.library or ("no known family" if layer.tactic else "no kernel reported")
        key = (family, _TENSOR_CORES[kernel.tensor_core])
        sums[key] = sums.get(key, 0.0) + time_ms
        totals[family] = totals.get(family, 0.0) + time_ms
    if not sums:
        return NOT_PROFILED
    keys = sorted(sums, key=lambda key: (-totals[key[0]], key))
    return Bars(
        [family for family, _ in keys],
        [sums[key] for key in keys],
        Axis("family"),
        SUM_OF_TIMES,
        keys=[tensor_cores for _, tensor_cores in keys],
        key_title="GEMMs",
        colors=_COLORS,
    )


def _slowest(subject: Subject) -> Bars | Empty:
    plan = subject.plan
    if plan is None or not plan.layers:
        return NO_LAYERS
    sums: dict[str, float] = {}
    kinds: dict[str, str] = {}
    for layer, time_ms in _timed_layers(plan):
        name = layer.tactic or "TensorRT (no kernel reported)"
        sums[name] = sums.get(name, 0.0) + time_ms
        kinds.setdefault(name, kernel_of(layer).kind or layer.type)
    if not sums:
        return NOT_PROFILED
    names = sorted(sums, key=lambda name: -sums[name])[:MAX_KERNELS]
    return Bars(
        names,
        [sums[name] for name in names],
        Axis("kernel"),
        SUM_OF_TIMES,
        keys=[kinds[name] for name in names],
        key_title="kind",
        is_horizontal=True,
        shows_names=False,
        note=f"the first {MAX_KERNELS} of {len(sums)} kernels" if len(sums) > MAX_KERNELS else "",
    )


CHARTS = (
    Chart(
        "tactic-families",
        "Time by tactic family",
        "Time by the library of the kernels, and whether they use tensor cores. Look first at the time of GEMMs that "
        "do not use tensor cores.",
        _families,
        "tactics",
    ),
    Chart(
        "slowest-tactics",
        "Slowest tactics",
        "The kernels that take most time, added up over their layers. The table of tactics and trex explain KERNEL "
        "explain their names.",
        _slowest,
        "tactics",
    ),
)
