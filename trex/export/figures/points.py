"""Points → a scatter plot in 2D or 3D; WebGL draws many points in 2D."""

from __future__ import annotations

from math import isfinite, sqrt
from typing import Any

from trex.export.figures.look import Look, axis, hover_texts, label, number, quantity, shading, whole
from trex.views.plot import Points

# A browser keeps about 16 WebGL contexts and drops the oldest; a page has more scatter plots.
_WEBGL_FROM = 6000
_SPACE_GRID = "#9aa5b1"  # WebGL has no half-transparent lines
_SMALLEST, _LARGEST = 7.0, 34.0


def points(plot: Points, look: Look) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    is_3d = plot.z_axis is not None
    count = len(plot.x)
    keys = list(plot.keys) or [""] * count
    colors = look.colors_of(plot, keys) if plot.keys else {"": look.accent}
    details = _details(plot)
    sizes = _diameters(plot)
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    kind = "scatter3d" if is_3d else "scattergl" if count >= _WEBGL_FROM else "scatter"
    traces: list[dict[str, Any]] = []
    for key, here in rows.items():
        marker: dict[str, Any] = {"color": colors[key], "size": [sizes[row] for row in here], "opacity": 0.85}
        if plot.shades:
            marker |= shading([plot.shades[row] for row in here], plot.shade_axis)
        marker["line"] = {"width": 0 if is_3d else 0.5, "color": look.ink}
        trace: dict[str, Any] = {
            "type": kind,
            "mode": "markers",
            "name": label(key),
            "x": [number(plot.x[row]) for row in here],
            "y": [number(plot.y[row]) for row in here],
            "marker": marker,
            "hovertext": [details[row] for row in here],
            "hoverinfo": "text",
        }
        if is_3d:
            trace["z"] = [number(plot.z[row]) for row in here]
        if len(plot.layers) == count:
            trace["customdata"] = [plot.layers[row] for row in here]
        traces.append(trace)
    for title, xs, ys in plot.lines:
        line = {"type": "scatter", "mode": "lines", "name": label(title), "x": list(xs), "y": list(ys)}
        shown = {"color": plot.colors[title]} if title in plot.colors else {}
        traces.append({**line, "line": {"width": 1.5, "dash": "dash", **shown}, "hoverinfo": "name"})
    layout: dict[str, Any] = {
        "showlegend": bool(plot.keys) or bool(plot.lines),
        "legend": {"title": {"text": label(plot.key_title)}, "itemsizing": "constant"},
    }
    if plot.z_axis is not None:
        layout["scene"] = {
            "xaxis": axis(plot.x_axis, look),
            "yaxis": axis(plot.y_axis, look),
            "zaxis": axis(plot.z_axis, look),
        }
        for scene_axis in layout["scene"].values():
            scene_axis.pop("automargin")
            scene_axis["title"].pop("standoff")
            scene_axis |= {"nticks": 5, "tickfont": {"size": 9}, "gridcolor": _SPACE_GRID, "showline": True}
        layout["scene"]["aspectmode"] = "cube"
        layout["scene"]["camera"] = {"eye": {"x": 1.7, "y": 1.7, "z": 1.0}}
    else:
        layout["xaxis"], layout["yaxis"] = axis(plot.x_axis, look), axis(plot.y_axis, look)
    return traces, layout


def _details(plot: Points) -> list[str]:
    count = len(plot.x)
    measured = [(plot.x_axis, plot.x), (plot.y_axis, plot.y)]
    if plot.z_axis is not None:
        measured.append((plot.z_axis, plot.z))
    if plot.shades and plot.shade_axis is not None:
        measured.append((plot.shade_axis, plot.shades))
    columns = [[whole(text) for text in plot.texts]] if plot.texts else []
    for measure, values in measured:
        title, unit = label(measure.title), measure.unit
        columns.append([f"{title}: {quantity(value, unit)}" for value in values])
    if plot.hover:
        columns.append(hover_texts(plot.hover, count))
    return ["<br>".join(filter(None, parts)) for parts in zip(*columns, strict=True)]


def _diameters(plot: Points) -> list[float]:
    """Areas in proportion to the sizes, between a smallest and a largest diameter."""
    count = len(plot.x)
    known = [size for size in plot.sizes if size is not None and isfinite(size) and size > 0]
    if not known:
        return [_SMALLEST] * count
    largest = max(known)
    diameters = []
    for size in plot.sizes:
        part = 0.0 if size is None or not isfinite(size) or size <= 0 else size / largest
        diameters.append(max(_SMALLEST, _LARGEST * sqrt(part)))
    return diameters
