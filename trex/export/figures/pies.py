"""Pies → one trace per pie, side by side; a key has the same color in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import isfinite
from typing import Any

from trex.export.figures.look import Look, label, quantity, whole
from trex.views.plot import Pies

_GAP = 0.06
_NAMELESS = "–"
"""Plotly would write the number of the slice."""


def _different(labels: Iterable[str]) -> list[str]:
    """Plotly adds slices of one label up, and names whole ones that are cut to one text differ."""
    counts: Counter[str] = Counter()
    different: dict[str, None] = {}
    for words in labels:
        words = one = words or _NAMELESS
        while one in different:
            counts[words] += 1
            one = f"{words} ({counts[words] + 1})"
        different[one] = None
    return list(different)


def pies(plot: Pies, look: Look) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    colors = look.colors_of(plot, [name for pie in plot.pies for name in pie.names])
    columns = max(1, min(plot.columns, len(plot.pies)))
    rows = -(-len(plot.pies) // columns)
    traces, words = [], []
    for at, pie in enumerate(plot.pies):
        row, column = divmod(at, columns)
        left, right = column / columns + _GAP / 2, (column + 1) / columns - _GAP / 2
        top, bottom = 1 - row / rows - _GAP, 1 - (row + 1) / rows + _GAP / 2
        known = [
            (name, float(value))
            for name, value in zip(pie.names, pie.values, strict=True)
            if value is not None and isfinite(value) and value > 0
        ]
        traces.append(
            {
                "type": "pie",
                "name": label(pie.title),
                "labels": _different(label(name) for name, _ in known),
                "values": [value for _, value in known],
                "marker": {"colors": [colors[name] for name, _ in known], "line": {"color": "#fff", "width": 1}},
                "hole": 0.35,
                "sort": True,
                "direction": "clockwise",
                "domain": {"x": [left, right], "y": [max(0, bottom), top]},
                "textinfo": "percent+label",
                "textposition": "inside",
                "hovertext": [f"{whole(name)}: {quantity(value, pie.unit)}" for name, value in known],
                "hoverinfo": "text+percent",
            }
        )
        words.append(
            {
                "text": label(pie.title),
                "x": (left + right) / 2,
                "y": top + _GAP / 2,
                "xref": "paper",
                "yref": "paper",
                "showarrow": False,
                "yanchor": "middle",
            }
        )
    return traces, {
        "annotations": [word for word in words if word["text"] != label(plot.title)],
        "uniformtext": {"minsize": 9, "mode": "hide"},
    }
