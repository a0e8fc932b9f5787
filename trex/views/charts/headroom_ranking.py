"""Layers by what could be saved, the largest first, colored by what bounds them.

What it shows: headroom is the time above what a good kernel would take for the same work on this GPU. Look at the first
bars first; it does not promise that a faster kernel exists.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trex.views.bound_colors import BOUND_COLORS
from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, layers_of
from trex.views.plot import Axis, Bars, Empty, Plot

MOST = 40


def make(subject: Subject) -> Plot | Empty:
    performance = subject.performance
    if performance is None or not performance.plan.layers:
        return NO_LAYERS
    roofline = performance.roofline
    headroom = roofline.headroom_ms
    known = np.isfinite(headroom)
    if not known.any():
        return Empty(
            "no layer has a known headroom",
            "it needs a profile and a GPU: trex report --device NAME, trex devices lists them",
        )
    order = np.argsort(-np.where(known, headroom, -1.0), kind="stable")[: min(MOST, int(known.sum()))].tolist()
    rows = [row for row in order if headroom[row] > 0]
    if not rows:
        return Empty("every layer is as fast as a good kernel for its work")
    total, shown = float(headroom[known].sum()), float(sum(headroom[row] for row in rows))
    bounds = roofline.bounds
    return Bars(
        "Headroom ranking",
        [performance.plan.layers[row].name for row in rows],
        [float(headroom[row]) for row in rows],
        Axis("layer"),
        Axis("headroom", "ms"),
        keys=[bounds[row].value for row in rows],
        key_title="bound by",
        shows_names=False,
        hover={
            "with those before it (% of all headroom)": [
                f"{100 * each / total:.0f}" for each in _running(headroom, rows)
            ],
            "time (ms)": [f"{roofline.time_ms[row]:.4f}" for row in rows],
            "share of attainable (%)": [f"{100 * roofline.achieved_share[row]:.0f}" for row in rows],
        },
        note=f"these {len(rows)} layers hold {shown:.4g} of {total:.4g} ms of headroom",
        layers=layers_of(performance.plan, rows),
        colors=BOUND_COLORS,
    )


def _running(headroom: NDArray[np.float64], rows: list[int]) -> list[float]:
    """The sums up to each bar, which tell how few layers hold most of it (Pareto)."""
    return [float(each) for each in np.cumsum(headroom[rows])]


CHART = Chart("Headroom ranking", "roofline", 20, make)
