"""Plot → plotly figure, as plain data or as a figure object."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from trex.core.errors import missing_extra
from trex.export.figures.bars import bars
from trex.export.figures.histogram import histogram
from trex.export.figures.lines import lines
from trex.export.figures.look import FAMILIAR, Look, label, layout_of
from trex.export.figures.pies import pies
from trex.export.figures.points import points
from trex.export.figures.tree import tree
from trex.views.plot import Bars, Empty, Histogram, Lines, Pies, Plot, Points, Tree

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Described = tuple[list[dict[str, Any]], dict[str, Any]]

KINDS: dict[type, Callable[[Any, Look], Described]] = {
    Bars: bars,
    Histogram: histogram,
    Pies: pies,
    Points: points,
    Lines: lines,
    Tree: tree,
}


def described(plot: Plot | Empty, look: Look = FAMILIAR) -> dict[str, Any]:
    """``{"data": […], "layout": {…}}`` as plotly.js takes it, JSON-ready. An Empty becomes its sentences."""
    if isinstance(plot, Empty):
        return {"data": [], "layout": _sentence(plot, look)}
    data, layout = KINDS[type(plot)](plot, look)
    return {"data": data, "layout": layout_of(plot, look, **layout)}


def figure_of(plot: Plot | Empty, look: Look = FAMILIAR) -> Figure:
    """The plotly figure. Raises TrexError naming the extra when plotly is not installed."""
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        raise missing_extra("plotly", "report", "drawing charts") from error
    figure = go.Figure(described(plot, look))
    # A page has a background of its own; in a dark notebook the figure's letters need one.
    figure.update_layout(paper_bgcolor=look.background)
    return figure


def _sentence(empty: Empty, look: Look) -> dict[str, Any]:
    text = label(empty.reason, 200) + (f"<br>{label(empty.hint, 200)}" if empty.hint else "")
    words = {"text": text, "showarrow": False, "x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper"}
    hidden = {"visible": False}
    return layout_of(Plot(), look, annotations=[words], xaxis=hidden, yaxis=hidden)
