"""Lines → curves with bands, marks and levels behind them."""

from __future__ import annotations

import math
from typing import Any

from trex.export.figures.look import Look, axis, label, number
from trex.views.plot import Axis, Lines

_WEBGL_FROM = 5000


def lines(plot: Lines, look: Look) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    colors = look.colors_of(plot, list(plot.series)) if len(plot.series) > 1 else {}
    x = [number(value) for value in plot.x]
    can_gl = not plot.fills and not plot.steps
    traces = []
    for title, values in plot.series.items():
        trace: dict[str, Any] = {
            "type": "scattergl" if can_gl and len(values) >= _WEBGL_FROM else "scatter",
            "mode": "lines",
            "name": label(title),
            "x": x,
            "y": [number(value) for value in values],
            "line": {"width": 1.5, "color": colors.get(title, look.accent), **({"shape": "hv"} if plot.steps else {})},
            "hovertemplate": f"%{{x}} {label(plot.x_axis.unit)}: %{{y:.5~g}} {label(plot.y_axis.unit)}"
            f"<extra>{label(title)}</extra>",
        }
        if plot.fills:
            trace["fill"] = "tozeroy"
        traces.append(trace)
    shapes: list[dict[str, Any]] = [
        {"type": "rect", "x0": start, "x1": end, "yref": "paper", "y0": 0, "y1": 1, "line": {"width": 0}}
        | {"fillcolor": "rgba(245,166,35,0.18)", "layer": "below"}
        for _, start, end in plot.bands
    ]
    words = [
        _word(text, x=(_placed(start, plot.x_axis) + _placed(end, plot.x_axis)) / 2) for text, start, end in plot.bands
    ]
    for text, mark in plot.marks.items():
        shapes.append({"type": "line", "x0": mark, "x1": mark, "yref": "paper", "y0": 0, "y1": 1} | _dotted(look))
        words.append(_word(text, x=_placed(mark, plot.x_axis)))
    for text, level in plot.levels.items():
        shapes.append({"type": "line", "y0": level, "y1": level, "xref": "paper", "x0": 0, "x1": 1} | _dotted(look))
        words.append(_word(text, y=_placed(level, plot.y_axis)))
    layout = {
        "showlegend": len(plot.series) > 1,
        "xaxis": axis(plot.x_axis, look),
        "yaxis": axis(plot.y_axis, look),
        "shapes": shapes,
        "annotations": words,
    }
    return traces, layout


def _placed(value: float, axis: Axis) -> float:
    """The coordinate of an annotation: on a logarithmic axis plotly takes the exponent of ten (not so for shapes)."""
    return math.log10(value) if axis.log and value > 0.0 else value


def _dotted(look: Look) -> dict[str, Any]:
    return {"line": {"color": look.ink, "width": 1, "dash": "dot"}}


def _word(text: str, *, x: float | None = None, y: float | None = None) -> dict[str, Any]:
    position: dict[str, Any] = (
        {"x": x, "y": 1, "yref": "paper", "yanchor": "bottom"}
        if y is None
        else {"x": 1, "y": y, "xref": "paper", "xanchor": "right", "yanchor": "bottom"}
    )
    return {"text": label(text), "showarrow": False, "font": {"size": 10}, **position}
