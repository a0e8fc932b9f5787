"""Heatmap → one trace; unknown cells stay blank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trex.export.figures.look import Look, label, named_ticks, number, quantity
from trex.views.plot import Heatmap


def heatmap(plot: Heatmap, look: Look) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    cells = [[number(value) for value in row] for row in plot.cells]
    texts = [["" if value is None else quantity(value, plot.value_axis.unit) for value in row] for row in cells]
    trace = {
        "type": "heatmap",
        "x": list(range(len(plot.columns))),
        "y": list(range(len(plot.rows))),
        "z": cells,
        "text": texts,
        "texttemplate": "%{text}",
        "colorscale": "Viridis",
        "colorbar": {"title": {"text": label(plot.value_axis.heading), "side": "right"}, "thickness": 14},
        "hovertemplate": "%{text}<extra></extra>",
    }
    layout = {
        "xaxis": _names(plot.columns, plot.column_axis.heading),
        "yaxis": {**_names(plot.rows, plot.row_axis.heading), "autorange": "reversed"},
    }
    return [trace], layout


def _names(names: Sequence[str], title: str) -> dict[str, Any]:
    ticks = named_ticks(names, True, len(names))
    return {"title": {"text": label(title), "standoff": 14}, **ticks, "automargin": True, "showgrid": False}
