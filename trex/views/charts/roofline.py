"""Achieved rate of every layer against its arithmetic intensity, below the ceilings of the GPU."""

from __future__ import annotations

import numpy as np

from trex.perf.performance import Performance
from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS
from trex.views.palette import BOUND_COLORS
from trex.views.plot import Axis, Empty, Points

_MAX_CEILINGS = 5


def _draw(subject: Subject) -> Points | Empty:
    performance = subject.performance
    if performance is None or not performance.plan.working_layers:
        return NO_LAYERS
    roofline = performance.roofline
    with np.errstate(divide="ignore", invalid="ignore"):
        achieved = roofline.operations / roofline.time_ms / 1e9  # operations per ms → 10¹² per second
    achieved[~roofline.is_own] = np.nan
    intensity = roofline.intensity
    known = np.isfinite(intensity) & np.isfinite(achieved) & (intensity > 0) & (achieved > 0)
    if not known.any():
        return Empty(
            "no layer has a known time, number of operations and size",
            "profile the engine; trex perf shows what is unknown",
        )
    rows = np.flatnonzero(known).tolist()
    layers = [performance.plan.working_layers[row] for row in rows]
    bounds = roofline.bounds
    missing = len(known) - len(rows)
    return Points(
        intensity[known].tolist(),
        achieved[known].tolist(),
        Axis("operations per byte", log=True),
        Axis("10¹² operations per second", log=True),
        texts=[layer.name for layer in layers],
        sizes=roofline.time_ms[known].tolist(),
        keys=[bounds[row].value for row in rows],
        key_title="bound by",
        lines=_ceilings(performance, float(intensity[known].min()), float(intensity[known].max())),
        hover={
            "time (ms)": [f"{value:.4f}" for value in roofline.time_ms[known].tolist()],
            "share of attainable (%)": [f"{100 * value:.0f}" for value in roofline.achieved_share[known].tolist()],
        },
        note=f"{missing} of {len(known)} layers left out: time, operations or bytes unknown" if missing else "",
        layers=[layer.index for layer in layers],
        colors=BOUND_COLORS,
    )


def _ceilings(performance: Performance, low: float, high: float) -> list[tuple[str, list[float], list[float]]]:
    """The slope of the memory, and a flat line per arithmetic rate that the layers use."""
    bandwidth = None if performance.device is None else performance.device.bytes_per_s
    if bandwidth is None:
        return []
    bytes_per_s = bandwidth.per_second
    known = {float(rate) for rate in performance.roofline.rate.tolist() if rate == rate and rate > 0}
    rates = sorted(known, reverse=True)[:_MAX_CEILINGS]
    if not rates:
        return []
    left, right = low / 2, max(high * 2, rates[0] / bytes_per_s * 2)
    slope = [left * bytes_per_s / 1e12, rates[0] / 1e12]
    memory = (f"memory {bytes_per_s / 1e9:,.0f} GB/s", [left, rates[0] / bytes_per_s], slope)
    flat = ((f"{rate / 1e12:,.3g} × 10¹²/s", [rate / bytes_per_s, right], [rate / 1e12] * 2) for rate in rates)
    return [memory, *flat]


CHARTS = (
    Chart(
        "roofline",
        "Roofline",
        "Each point is a layer, as large as its time. Points on the slope wait for memory, points below the flat lines "
        "for arithmetic. A layer far below both reaches neither: it is small, badly shaped, or has the wrong kernel.",
        _draw,
        "roofline",
    ),
)
