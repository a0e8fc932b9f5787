"""DataFrame and column names → Plot: bars, histograms and pies of any table, for classic plotting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.plan.columns import COLUMN_BY_NAME
from trex.views.charting import cells, colors_for, layer_indexes, numbers, texts
from trex.views.plot import Axis, Bars, Histogram, Pies, Slices

if TYPE_CHECKING:
    import pandas as pd


def bars_of(
    frame: pd.DataFrame,
    title: str,
    values: str,
    names: str,
    *,
    color: str | None = None,
    colors: Mapping[str, str] | None = None,
    is_horizontal: bool = False,
    shows_names: bool = False,
    value_title: str | None = None,
    name_title: str | None = None,
) -> Bars:
    """One bar per layer; in a table that is not of layers one per name, with its rows stacked.

    color: a column of words, or of numbers, which get a color scale.

    Raises TrexError for a column that the table lacks.
    """
    for name in filter(None, (values, names, color)):
        require(frame, name)
    is_scale = color is not None and frame[color].dtype.kind in "if" and color != names
    return Bars(
        texts(frame, names),
        numbers(frame, values).tolist(),
        Axis(name_title or names),
        _axis(values, value_title),
        keys=texts(frame, color) if color and not is_scale else (),
        key_title=color or "",
        shades=numbers(frame, color).tolist() if color and is_scale else (),
        shade_axis=_axis(color, None) if color and is_scale else None,
        is_horizontal=is_horizontal,
        shows_names=shows_names,
        layers=layer_indexes(frame),
        colors=colors if colors is not None else colors_for(color or ""),
        note=_none_known(frame, values),
        title=title,
    )


def histogram_of(
    frame: pd.DataFrame, title: str, values: str, value_title: str, color: str | None, colors: Mapping[str, str] | None
) -> Histogram:
    """How often numbers occur, in bins. Raises TrexError for a column that the table lacks."""
    for name in filter(None, (values, color)):
        require(frame, name)
    return Histogram(
        numbers(frame, values).tolist(),
        _axis(values, value_title),
        keys=texts(frame, color) if color else (),
        key_title=color or "",
        count_title="count",
        colors=colors if colors is not None else colors_for(color or ""),
        note=_none_known(frame, values),
        title=title,
    )


def _none_known(frame: pd.DataFrame, values: str) -> str:
    """Why a figure of these values is empty; "" if it is not."""
    if frame.empty or numbers(frame, values).notna().any():
        return ""
    return f"no value of {values} is known" + (": there is no profile" if values.startswith("latency.") else "")


def is_words(frame: pd.DataFrame, name: str) -> bool:
    """True for a column of words, which can be counted but not binned."""
    require(frame, name)
    return any(isinstance(cell, str) for cell in cells(frame, name))


def pies_of(
    title: str,
    charts: Sequence[tuple[pd.DataFrame, str, str, str]],
    columns: int = 3,
    colors: Mapping[str, str] | None = None,
) -> Pies:
    """A pie per (table, title, column of values, column of names).

    Raises TrexError for a column that a table lacks.
    """
    pies = []
    for frame, heading, values, names in charts:
        require(frame, values)
        require(frame, names)
        pies.append(Slices(heading, texts(frame, names), numbers(frame, values).tolist(), _unit(values)))
    return Pies(pies, columns, colors=colors if colors is not None else {}, title=title)


def require(frame: pd.DataFrame, name: str) -> None:
    """Raises TrexError with similar names for a column that the table lacks."""
    if name not in frame.columns:
        known = [str(column) for column in frame.columns]
        raise TrexError(
            f"the table has no column {name!r}", did_you_mean(name, known, f"columns: {', '.join(known[:12])}")
        )


def _axis(name: str, title: str | None) -> Axis:
    return Axis(title, "") if title else Axis(name, _unit(name))


def _unit(name: str) -> str:
    declared = COLUMN_BY_NAME.get(name)
    return declared.unit if declared else ""
