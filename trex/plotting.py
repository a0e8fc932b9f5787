"""Plots of any table by column names, as plotly figures.

Differs from NVIDIA's TREx: names of layers are shown as plain text; rows that share a name have a bar each; axes show
the units of known columns. All functions return the figure; ``do_show=False`` does not show it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from trex import _reexported
from trex.export.figures.classic import choosable, dressed, layout
from trex.export.figures.figure import figure_of
from trex.export.figures.look import Look
from trex.jupyter.show import Tables, shown_once
from trex.plan.frames import stacked, totals
from trex.views.palette import GRID_COLOR
from trex.views.table_plots import bars_of, histogram_of, is_words, pies_of

if TYPE_CHECKING:
    import pandas as pd
    import plotly.express as px
    import plotly.graph_objects as go

__all__ = [
    "create_layout",
    "plotly_bar2",
    "plotly_hist",
    "plotly_pie",
    "plotly_pie2",
    "rotate_columns",
    "stacked_bars",
    "stacked_tabular",
    "stacked_tabular_df",
    "trex_base_layout",
]

if find_spec("plotly"):
    __all__ += ["px"]

Size = tuple[int | None, int | None]


def trex_base_layout(fig: go.Figure, gridcolor: str | None = None) -> go.Figure:
    """Gives any figure the look of the figures here. gridcolor: any CSS color."""
    return dressed(fig, gridcolor or GRID_COLOR)


def create_layout(
    title: str,
    size: Size,
    x_title: str | None,
    y_title: str | None,
    orientation: str,
    show_axis_ticks: tuple[bool, bool] = (True, True),
) -> go.Layout:
    """A layout with titles. size: (width, height) in pixels, None to fill. orientation: ``v`` or ``h``."""
    return layout(title, size, x_title, y_title, orientation, show_axis_ticks)


def plotly_bar2(
    df: pd.DataFrame | Mapping[str, pd.DataFrame],
    title: str,
    values_col: str,
    names_col: str,
    orientation: str = "v",
    color: str | None = None,
    size: Size = (None, None),
    use_slider: bool = False,
    colormap: Mapping[str, str] | None = None,
    show_axis_ticks: tuple[bool, bool] = (False, True),
    showlegend: bool = False,
    xaxis_title: str | None = None,
    yaxis_title: str | None = None,
    do_show: bool = True,
) -> go.Figure:
    """Bars of ``values_col`` over ``names_col``, in the table's order. df: or several tables by name, for a menu.

    color: a column of words or numbers. orientation: ``v`` or ``h``. size: (width, height) in pixels.
    use_slider: a strip below for zooming. Raises TrexError for a column that the table lacks.
    """
    is_horizontal = orientation == "h"
    name_title, value_title = (yaxis_title, xaxis_title) if is_horizontal else (xaxis_title, yaxis_title)
    look = Look(width=size[0], height=size[1])

    def figure(frame: pd.DataFrame) -> go.Figure:
        plot = bars_of(
            frame,
            title,
            values_col,
            names_col,
            color=color,
            colors=colormap,
            is_horizontal=is_horizontal,
            shows_names=show_axis_ticks[1 if is_horizontal else 0],
            value_title=value_title,
            name_title=name_title,
        )
        return figure_of(plot, look)

    result = choosable({name: figure(frame) for name, frame in df.items()}) if isinstance(df, Mapping) else figure(df)
    result.update_layout(showlegend=showlegend)
    if use_slider and not is_horizontal:
        result.update_xaxes(rangeslider={"visible": True})
    return _shown(result, do_show)


def plotly_hist(
    df: pd.DataFrame,
    title: str,
    values_col: str,
    xaxis_title: str,
    color: str | None,
    colormap: Mapping[str, str] | None = None,
    do_show: bool = True,
) -> go.Figure:
    """How often values of ``values_col`` occur; words are counted, numbers binned. color: a column of words.

    Raises TrexError for a column that the table lacks.
    """
    if is_words(df, values_col):
        counts = df.assign(count=1)
        plot: Any = bars_of(
            _grouped(counts, values_col, color),
            title,
            "count",
            values_col,
            color=color,
            colors=colormap,
            shows_names=True,
            name_title=xaxis_title,
        )
    else:
        plot = histogram_of(df, title, values_col, xaxis_title, color, colormap)
    return _shown(figure_of(plot), do_show)


def plotly_pie(
    df: pd.DataFrame,
    title: str,
    values: str,
    names: str,
    colormap: Mapping[str, str] | None = None,
    do_show: bool = True,
) -> go.Figure:
    """The shares of ``values`` by ``names``. Raises TrexError for a column that the table lacks."""
    return _shown(figure_of(pies_of(title, [(df, "", values, names)], colors=colormap)), do_show)


def plotly_pie2(
    title: str,
    charts: Sequence[tuple[pd.DataFrame, str, str, str]],
    max_cols: int = 3,
    colormap: Mapping[str, str] | None = None,
    do_show: bool = True,
) -> go.Figure:
    """Pies side by side. charts: (table, title, column of values, column of names) each."""
    return _shown(figure_of(pies_of(title, charts, max_cols, colormap)), do_show)


def rotate_columns(df: pd.DataFrame) -> pd.DataFrame:
    """A copy whose last column is the first."""
    names = list(df.columns)
    rotated: pd.DataFrame = df[names[-1:] + names[:-1]]
    return rotated


def stacked_tabular_df(
    bar_names: Sequence[str],
    df_list: Sequence[pd.DataFrame],
    names_col: str,
    values_col: str,
    empty_symbol: Any = 0,
) -> pd.DataFrame:
    """One row per name, one column per table, called by ``bar_names``; ``empty_symbol`` where a table lacks the name.

    The names are the index and the first column, called ``names_col``.
    """
    import pandas as pd

    rows = stacked([totals(frame, names_col, values_col) for frame in df_list], empty_symbol)
    table = pd.DataFrame(list(rows.values()), index=pd.Index(list(rows), tupleize_cols=False), columns=list(bar_names))
    return rotate_columns(table.assign(**{names_col: table.index}))


def stacked_tabular(*args: Any, **kwargs: Any) -> None:
    """Shows the table that ``stacked_tabular_df`` returns for the same arguments."""
    Tables.show(stacked_tabular_df(*args, **kwargs))


def stacked_bars(
    title: str,
    bar_names: Sequence[str],
    df_list: Sequence[pd.DataFrame],
    names_col: str,
    values_col: str,
    empty_symbol: Any = 0,
    colormap: Mapping[str, str] | None = None,
    display_tbl: bool = True,
    fig: go.Figure | None = None,
    xaxis_title: str | None = None,
    yaxis_title: str | None = None,
) -> go.Figure:
    """Shows one bar per table, stacked by name. fig: a figure to add them to. display_tbl: shows the numbers, too."""
    import pandas as pd

    rows = pd.concat([frame[[names_col, values_col]].assign(bar=name) for name, frame in zip(bar_names, df_list)])
    plot = bars_of(
        _grouped(rows, "bar", names_col, values_col),
        title,
        values_col,
        "bar",
        color=names_col,
        colors=colormap,
        shows_names=True,
        value_title=yaxis_title,
        name_title=xaxis_title,
    )
    result = figure_of(plot)
    if fig is not None:
        fig.add_traces(result.data)
        fig.update_layout(barmode="stack")
        result = fig
    if display_tbl:
        stacked_tabular(bar_names, df_list, names_col, values_col, empty_symbol)
    return _shown(result, do_show=True)


def _grouped(rows: pd.DataFrame, first: str, second: str | None, values: str = "count") -> pd.DataFrame:
    from trex.plan.frames import summed

    return summed(rows, [first, second] if second and second != first else first, values)


def _shown(figure: go.Figure, do_show: bool) -> go.Figure:
    if not do_show:
        return figure
    figure.show()
    return shown_once(figure)


def __getattr__(name: str) -> Any:
    if name == "px":
        import plotly.express

        return plotly.express
    return _reexported(__name__)(name)
