"""Layers by headroom, the largest first, colored by what bounds them."""

from __future__ import annotations

import numpy as np

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS
from trex.views.palette import BOUND_COLORS
from trex.views.plot import Axis, Bars, Empty

MAX_LAYERS = 40


def _draw(subject: Subject) -> Bars | Empty:
    performance = subject.performance
    if performance is None or not performance.plan.layers:
        return NO_LAYERS
    roofline = performance.roofline
    headroom_ms = roofline.headroom_ms
    known = np.isfinite(headroom_ms)
    if not known.any():
        return Empty(
            "no layer has a known headroom",
            "it needs a profile and a GPU: trex report --device NAME; trex devices lists them",
        )
    order = np.argsort(-np.where(known, headroom_ms, -1.0), kind="stable")[: min(MAX_LAYERS, int(known.sum()))]
    rows = [row for row in order.tolist() if headroom_ms[row] > 0]
    if not rows:
        return Empty("every layer is as fast as a good kernel for its work")
    layers = [performance.plan.layers[row] for row in rows]
    values = [float(value) for value in headroom_ms[rows]]
    bounds = roofline.bounds
    total = float(headroom_ms[known].sum())
    cumulated_pct = 100 * np.cumsum(values) / total  # shows how few layers have most of it (Pareto)
    return Bars(
        [layer.name for layer in layers],
        values,
        Axis("layer"),
        Axis("headroom", "ms"),
        keys=[bounds[row].value for row in rows],
        key_title="bound by",
        shows_names=False,
        hover={
            "up to this layer (% of all headroom)": [f"{share:.0f}" for share in cumulated_pct],
            "time (ms)": [f"{roofline.time_ms[row]:.4f}" for row in rows],
            "share of attainable (%)": [f"{100 * roofline.achieved_share[row]:.0f}" for row in rows],
        },
        note=f"these {len(rows)} layers have {sum(values):.4g} of {total:.4g} ms of headroom",
        layers=[layer.index for layer in layers],
        colors=BOUND_COLORS,
    )


CHARTS = (
    Chart(
        "headroom-ranking",
        "Headroom ranking",
        "Headroom is the time above what a good kernel takes for the same work on this GPU. Look at the first bars "
        "first. Headroom does not promise that a faster kernel exists.",
        _draw,
        "roofline",
    ),
)
