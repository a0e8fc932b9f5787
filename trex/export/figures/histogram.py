"""Histogram → traces, one per color key, stacked."""

from __future__ import annotations

from math import isfinite
from typing import Any

from trex.export.figures.look import Look, axis, label
from trex.views.plot import Axis, Histogram

MOST_BINS = 100


def histogram(plot: Histogram, look: Look) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    keys = list(plot.keys) or [""] * len(plot.values)
    colors = look.colors_of(plot, keys) if plot.keys else {"": look.accent}
    values: dict[str, list[float]] = {}
    for key, value in zip(keys, plot.values, strict=True):
        if value is not None and isfinite(value):
            values.setdefault(key, []).append(float(value))
    traces = [
        {
            "type": "histogram",
            "name": label(key),
            "x": numbers,
            "marker": {"color": colors[key], "line": {"width": 0}},
            "nbinsx": MOST_BINS,
            "hovertemplate": f"%{{x}} {label(plot.value_axis.unit)}: %{{y}} {label(plot.count_title)}<extra></extra>",
        }
        for key, numbers in values.items()
    ]
    shapes = [
        {
            "type": "line",
            "x0": x,
            "x1": x,
            "yref": "paper",
            "y0": 0,
            "y1": 1,
            "line": {"color": look.ink, "dash": "dot"},
        }
        for x in plot.marks.values()
    ]
    words = [
        {
            "x": x,
            "y": 1,
            "yref": "paper",
            "text": label(text),
            "showarrow": False,
            "yanchor": "bottom",
            "textangle": -30,
        }
        for text, x in plot.marks.items()
    ]
    layout = {
        "barmode": "stack",
        "showlegend": bool(plot.keys),
        "legend": {"title": {"text": label(plot.key_title)}, "itemsizing": "constant"},
        "xaxis": axis(plot.value_axis, look),
        "yaxis": axis(Axis(plot.count_title), look),
        "shapes": shapes,
        "annotations": words,
    }
    return traces, layout
