"""What charts share: bars of layers, shares of groups, and the sentences for what is unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trex.core.counted import counted
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS
from trex.views.plot import Axis, Bars, Empty

if TYPE_CHECKING:
    import pandas as pd

NOT_PROFILED = Empty(
    "no layer has a time: the engine was read without a profile", "trex process -p, or --exportProfile"
)


def known_note(values: pd.Series, one: str, several: str) -> str:
    """``3 of 40 layers are not profiled``, "" when every value is known."""
    missing = int(values.isna().sum())
    if not missing:
        return ""
    return f"{counted(missing, 'layer')} of {len(values)} {one if missing == 1 else several}"


def layer_bars(
    frame: pd.DataFrame,
    title: str,
    column: str,
    axis: Axis,
    *,
    by: str = "type",
    note: str = "",
    hover: Mapping[str, str] | None = None,
) -> Bars:
    """One bar per row with a known value, in the frame's order, coloured by ``type`` or ``precision``.

    hover: {title: column} of what else is told of a layer.
    """
    rows = frame[frame[column].notna()]
    told = {"type": "type", "precision": "precision", **(hover or {})}
    return Bars(
        title,
        names=texts(rows, "Name"),
        values=rows[column].tolist(),
        name_axis=Axis("layers in execution order"),
        value_axis=axis,
        keys=texts(rows, by),
        key_title=by,
        shows_names=len(rows) <= 30,
        hover={each: rows[name].tolist() for each, name in told.items() if name in rows},
        note=note,
        layers=layer_indexes(rows),
        colors=colors_for(by),
    )


def layer_indexes(rows: pd.DataFrame) -> Sequence[int]:
    """``layer.index`` of every row, or the rows' places in a table that has lost the column."""
    found: Any = rows["layer.index"] if "layer.index" in rows else range(len(rows))
    return [int(each) for each in found]


def texts(rows: pd.DataFrame, column: str) -> list[str]:
    """The column as texts; ``Unknown`` where a cell has none."""
    if column not in rows:
        return ["Unknown"] * len(rows)
    return [each if isinstance(each, str) else "Unknown" for each in rows[column].tolist()]


def colors_for(by: str) -> Mapping[str, str]:
    """The palette for a column."""
    return PRECISION_COLORS if "precision" in by else LAYER_COLORS if by == "type" else {}
