"""Plot: a chart as data, free of any library: what is shown over what, in which unit and color.

A chart file makes one of these kinds; each reader (plotly figure, native chart of a workbook, table) draws all of them.
Values are plain numbers; what is unknown is NaN or None and is left out by the reader, which says how many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Axis:
    """title: what is measured. unit: ``ms``, ``bytes``, ``%``, "" for none. log: logarithmic where values allow it."""

    title: str
    unit: str = ""
    log: bool = False

    @property
    def heading(self) -> str:
        return f"{self.title} ({self.unit})" if self.unit else self.title


@dataclass(frozen=True, slots=True)
class Empty:
    """A chart that has nothing to show: why, in one sentence, and what would fill it."""

    reason: str
    hint: str = ""


@dataclass(frozen=True)
class Plot:
    """What all plots have.

    note: one sentence below the title, as how many values are unknown. layers: per mark the ``layer.index`` it stands
    for, so that readers select the same layer everywhere; empty where marks are no layers.
    colors: {color key: #rrggbb}; keys without one get the palette's next.
    """

    title: str
    note: str = field(default="", kw_only=True)
    layers: Sequence[int] = field(default=(), kw_only=True)
    colors: Mapping[str, str] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True)
class Bars(Plot):
    """names, values: one bar each. keys: per bar what its color tells, empty for one color. key_title: of the legend.
    shades: a number per bar on a scale of colors, instead of keys.

    kind ``stack`` piles bars of one name; ``group`` puts them beside one another. hover: {title: one text per bar}.
    starts: where each bar begins, so that it ends at start + value, as in a waterfall; empty where all begin at zero.
    """

    names: Sequence[str]
    values: Sequence[float | None]
    name_axis: Axis
    value_axis: Axis
    keys: Sequence[str] = ()
    key_title: str = ""
    shades: Sequence[float | None] = ()
    shade_axis: Axis | None = None
    kind: str = "stack"
    is_horizontal: bool = False
    shows_names: bool = True
    hover: Mapping[str, Sequence[object]] = field(default_factory=dict)
    starts: Sequence[float] = ()


@dataclass(frozen=True)
class Histogram(Plot):
    """values: what is counted into bins. keys: per value what its color tells, empty for one color."""

    values: Sequence[float | None]
    value_axis: Axis
    keys: Sequence[str] = ()
    key_title: str = ""
    count_title: str = "layers"
    marks: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Slices:
    """One circle of Pies."""

    title: str
    names: Sequence[str]
    values: Sequence[float | None]
    unit: str = ""


@dataclass(frozen=True)
class Pies(Plot):
    """Circles side by side with one meaning of colors."""

    pies: Sequence[Slices]
    columns: int = 3


@dataclass(frozen=True)
class Points(Plot):
    """x, y (and z for a view in space): one point each. sizes: relative areas, empty for all alike.

    keys: per point the word its color stands for, or ``shades``: a number per point on a scale of colors.
    lines: drawn behind the points, as the ceilings of a roofline: (title, xs, ys).
    """

    x: Sequence[float | None]
    y: Sequence[float | None]
    x_axis: Axis
    y_axis: Axis
    z: Sequence[float | None] = ()
    z_axis: Axis | None = None
    texts: Sequence[str] = ()
    sizes: Sequence[float | None] = ()
    keys: Sequence[str] = ()
    key_title: str = ""
    shades: Sequence[float | None] = ()
    shade_axis: Axis | None = None
    lines: Sequence[tuple[str, Sequence[float], Sequence[float]]] = ()
    hover: Mapping[str, Sequence[object]] = field(default_factory=dict)


@dataclass(frozen=True)
class Lines(Plot):
    """Curves over one axis: {title: one value per x}. steps: values hold until the next x. fills: area below.

    bands: shaded stretches of x with their meaning: (text, from, to). marks: {text: x}. levels: {text: y}.
    """

    x: Sequence[float]
    series: Mapping[str, Sequence[float | None]]
    x_axis: Axis
    y_axis: Axis
    steps: bool = False
    fills: bool = False
    bands: Sequence[tuple[str, float, float]] = ()
    marks: Mapping[str, float] = field(default_factory=dict)
    levels: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Tree(Plot):
    """Parts of parts. paths: per leaf its way from the root; values: of the leaves, added up towards the root.

    kind: ``sunburst``, ``treemap`` or ``icicle``. keys: per leaf what its color tells.
    """

    paths: Sequence[tuple[str, ...]]
    values: Sequence[float | None]
    unit: str
    kind: str = "sunburst"
    keys: Sequence[str] = ()
    key_title: str = ""


@dataclass(frozen=True)
class Heatmap(Plot):
    """cells[row][column]; None is left blank."""

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[float | None]]
    row_axis: Axis
    column_axis: Axis
    value_axis: Axis
