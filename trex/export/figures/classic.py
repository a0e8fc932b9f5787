"""Parts of the classic plotting functions: layouts, and a menu of several figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError, missing_extra
from trex.export.figures.look import FAMILIAR, label

if TYPE_CHECKING:
    import plotly.graph_objects as go


def dressed(figure: go.Figure, grid: str) -> go.Figure:
    """The same figure with our background, grid and font."""
    figure.update_layout(
        paper_bgcolor=FAMILIAR.paper, plot_bgcolor=FAMILIAR.paper, font={"color": FAMILIAR.ink}, title={"x": 0.02}
    )
    figure.update_xaxes(gridcolor=grid, automargin=True)
    figure.update_yaxes(gridcolor=grid, automargin=True)
    return figure


def layout(
    title: str,
    size: tuple[int | None, int | None],
    x_title: str | None,
    y_title: str | None,
    orientation: str,
    ticks: tuple[bool, bool],
) -> go.Layout:
    """A plotly layout. Raises TrexError naming the extra when plotly is not installed."""
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        raise missing_extra("plotly", "report", "drawing charts") from error
    axes: dict[str, Any] = {
        "xaxis": {"title": {"text": label(x_title or "")}, "showticklabels": ticks[0]},
        "yaxis": {"title": {"text": label(y_title or "")}, "showticklabels": ticks[1]},
    }
    if orientation == "h":
        axes["yaxis"]["autorange"] = "reversed"
    return go.Layout(title={"text": label(title, 90)}, width=size[0], height=size[1], **axes)


def choosable(figures: Mapping[str, go.Figure]) -> go.Figure:
    """One figure with the traces of all figures and a menu to choose whose are shown, first those of the first figure.

    Raises TrexError if there is no figure.
    """
    if not figures:
        raise TrexError("there is no table to draw", "give at least one")
    result: Any = None
    owners: list[str] = []
    for name, figure in figures.items():
        owners += [name] * len(figure.data)
        if result is None:
            result = figure
        else:
            result.add_traces(figure.data)
    buttons = []
    for name, figure in figures.items():
        visible = [owner == name for owner in owners]
        changes = {"xaxis": figure.layout.xaxis.to_plotly_json(), "yaxis": figure.layout.yaxis.to_plotly_json()}
        buttons.append({"label": label(name), "method": "update", "args": [{"visible": visible}, changes]})
    for trace, owner in zip(result.data, owners, strict=True):
        trace.visible = owner == owners[0]
    result.update_layout(updatemenus=[{"buttons": buttons, "x": 1, "xanchor": "right", "y": 1.15}])
    return result
