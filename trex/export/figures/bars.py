"""Bars → one trace per color key, so that the legend switches keys on and off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trex.export.figures.look import Look, axis, hover_texts, label, named_ticks, number, quantity, shading, whole
from trex.views.plot import Bars


def bars(plot: Bars, look: Look) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Each layer has a position, even with equal names; bars of one layer, and other bars of one name, share it."""
    count = len(plot.values)
    # Two layers may have one name; bars of one layer share a position.
    layers = plot.layers if len(plot.layers) == count else [-1] * count
    owners = list(zip(plot.names, layers, strict=True))
    position_of = {owner: position for position, owner in enumerate(dict.fromkeys(owners))}
    positions, names = [position_of[owner] for owner in owners], [name for name, _ in position_of]
    keys = list(plot.keys) or [""] * count
    colors = look.colors_of(plot, keys) if plot.keys else {"": look.accent}
    details = hover_texts(_hover(plot), count)
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    traces = [_trace(plot, key, rows[key], positions, colors[key], details) for key in rows]
    named = {
        "title": {"text": label(plot.name_axis.heading), "standoff": 10},
        "automargin": True,
        "showgrid": False,
        **named_ticks(names, plot.shows_names),
    }
    valued = axis(plot.value_axis, look)
    if plot.starts:
        ends = [-0.6, len(names) - 0.4]
        named["range"] = ends[::-1] if plot.is_horizontal else ends
    elif plot.is_horizontal:
        named["autorange"] = "reversed"
    layout = {
        "barmode": plot.kind,
        "bargap": 0.05 if count > 60 else 0.15,
        "showlegend": len(rows) > 1 or bool(plot.key_title),
        "legend": {"title": {"text": label(plot.key_title)}, "itemsizing": "constant"},
        "xaxis": valued if plot.is_horizontal else named,
        "yaxis": named if plot.is_horizontal else valued,
    }
    return traces, layout


def _hover(plot: Bars) -> Mapping[str, Sequence[object]]:
    if not plot.shades or plot.shade_axis is None:
        return plot.hover
    axis = plot.shade_axis
    return {**plot.hover, axis.title: [quantity(value, axis.unit) for value in plot.shades]}


def _trace(
    plot: Bars, key: str, rows: list[int], positions: list[int], color: str, details: list[str]
) -> dict[str, Any]:
    values = [number(plot.values[row]) for row in rows]
    ticks = [positions[row] for row in rows]
    unit = plot.value_axis.unit
    texts = [
        f"{whole(plot.names[row])}<br><b>{quantity(value, unit)}</b>" + (f"<br>{details[row]}" if details[row] else "")
        for row, value in zip(rows, values, strict=True)
    ]
    trace: dict[str, Any] = {
        "type": "bar",
        "name": label(key),
        "orientation": "h" if plot.is_horizontal else "v",
        "x": values if plot.is_horizontal else ticks,
        "y": ticks if plot.is_horizontal else values,
        "marker": {"color": color, "line": {"width": 0}},
        "hovertext": texts,
        "hoverinfo": "text",
    }
    if plot.starts:
        trace["base"] = [number(plot.starts[row]) for row in rows]
        trace["width"] = 0.8  # plotly derives the width from the distance of a trace's own bars
    if plot.shades:
        trace["marker"] |= shading([plot.shades[row] for row in rows], plot.shade_axis)
    if len(plot.layers) == len(positions):
        trace["customdata"] = [plot.layers[row] for row in rows]
    return trace
