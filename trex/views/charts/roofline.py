"""Achieved rate of every layer against its arithmetic intensity, below the ceilings of the GPU.

What it shows: each point is a layer, as large as its time. Points on the slope wait for memory, those below the flat
lines for arithmetic; far below both, a layer reaches neither: small, badly shaped, or with the wrong kernel.
"""

from __future__ import annotations

import numpy as np

from trex.perf.performance import Performance
from trex.views.bound_colors import BOUND_COLORS
from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, layers_of
from trex.views.plot import Axis, Empty, Plot, Points


def make(subject: Subject) -> Plot | Empty:
    performance = subject.performance
    if performance is None or not performance.plan.layers:
        return NO_LAYERS
    roofline = performance.roofline
    with np.errstate(divide="ignore", invalid="ignore"):
        achieved = roofline.operations / roofline.time_ms / 1e9  # operations per ms → 10¹² per second
    x, y = roofline.intensity, achieved
    known = np.isfinite(x) & np.isfinite(y) & (x > 0) & (y > 0)
    if not known.any():
        return Empty(
            "no layer has a known time, operations and bytes together",
            "profile the engine; trex perf says what is unknown",
        )
    rows = np.flatnonzero(known).tolist()
    bounds = roofline.bounds
    missing = len(bounds) - len(rows)
    return Points(
        "Roofline",
        x[known].tolist(),
        y[known].tolist(),
        Axis("operations per byte", log=True),
        Axis("10¹² operations per second", log=True),
        texts=[performance.plan.layers[row].name for row in rows],
        sizes=roofline.time_ms[known].tolist(),
        keys=[bounds[row].value for row in rows],
        key_title="bound by",
        lines=_ceilings(performance, float(x[known].min()), float(x[known].max())),
        hover={
            "time (ms)": [f"{value:.4f}" for value in roofline.time_ms[known].tolist()],
            "share of attainable (%)": [f"{100 * value:.0f}" for value in roofline.achieved_share[known].tolist()],
        },
        note=f"{missing} of {len(bounds)} layers are left out: time, operations or bytes unknown" if missing else "",
        layers=layers_of(performance.plan, rows),
        colors=BOUND_COLORS,
    )


def _ceilings(performance: Performance, low: float, high: float) -> list[tuple[str, list[float], list[float]]]:
    """The slope of the memory, and a flat line per rate that the layers' arithmetic has."""
    device, roofline = performance.device, performance.roofline
    bandwidth = None if device is None else device.bytes_per_s
    if device is None or bandwidth is None:
        return []
    found = []
    rates = sorted({float(rate) for rate in roofline.rate.tolist() if rate == rate and rate > 0}, reverse=True)[:5]
    top = max(rates, default=0.0)
    left, right = low / 2, max(high * 2, top / bandwidth.per_second * 2)
    if top:
        ridge = top / bandwidth.per_second
        found.append(
            (
                f"memory {bandwidth.per_second / 1e9:,.0f} GB/s",
                [left, ridge],
                [left * bandwidth.per_second / 1e12, top / 1e12],
            )
        )
    for rate in rates:
        ridge = rate / bandwidth.per_second
        found.append((f"{rate / 1e12:,.3g} × 10¹²/s", [ridge, right], [rate / 1e12, rate / 1e12]))
    return found


CHART = Chart("Roofline", "roofline", 10, make)
