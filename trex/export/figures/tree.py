"""Tree → sunburst, treemap or icicle: inner nodes come from the leaves' paths and have the sums of their values."""

from __future__ import annotations

from math import isfinite
from typing import Any

from trex.export.figures.look import Look, label, quantity, whole
from trex.views.plot import Tree

_MIXED = "\0"


def tree(plot: Tree, look: Look) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """A node's identity is its whole path. A branch has a color if all its leaves share one."""
    totals: dict[tuple[str, ...], float] = {}
    keys: dict[tuple[str, ...], str] = {}  # MIXED where leaves differ
    layers: dict[tuple[str, ...], int] = {}
    for row, (path, value) in enumerate(zip(plot.paths, plot.values, strict=True)):
        if value is None or not isfinite(value) or value <= 0:
            continue
        key = plot.keys[row] if plot.keys else ""
        for depth in range(1, len(path) + 1):
            part = path[:depth]
            totals[part] = totals.get(part, 0.0) + value
            if keys.setdefault(part, key) != key:
                keys[part] = _MIXED
        if len(plot.layers) == len(plot.paths):
            layers[path] = plot.layers[row]
    number_of = {path: str(number) for number, path in enumerate(totals)}
    colors = look.colors_of(plot, list(plot.keys)) if plot.keys else {}
    marker: dict[str, Any] = {"line": {"width": 0.5, "color": "#fff"}}
    if plot.keys:
        marker["colors"] = ["rgba(139,148,158,0.45)" if keys[path] == _MIXED else colors[keys[path]] for path in totals]
    names: dict[tuple[str, ...], str] = {}
    for path in totals:  # parents come first
        names[path] = f"{names[path[:-1]]} › {whole(path[-1])}" if len(path) > 1 else whole(path[-1])
    total = sum(value for path, value in totals.items() if len(path) == 1)
    trace: dict[str, Any] = {
        "type": plot.kind,
        "ids": list(number_of.values()),
        "labels": [label(path[-1], 32) for path in totals],
        "parents": [number_of.get(path[:-1], "") for path in totals],
        "values": list(totals.values()),
        "branchvalues": "total",
        "marker": marker,
        "hovertext": [
            f"{names[path]}<br><b>{quantity(value, plot.unit)}</b> ({100 * value / total:.1f} %)"
            for path, value in totals.items()
        ],
        "hoverinfo": "text",
        "maxdepth": 4,
    }
    if layers:
        trace["customdata"] = [layers.get(path, -1) for path in totals]
    if plot.kind == "icicle":
        trace["tiling"] = {"orientation": "v"}
        trace["root"] = {"color": "rgba(0,0,0,0)"}
    return [trace], {"margin": {"l": 10, "r": 10, "t": 64, "b": 10}}
