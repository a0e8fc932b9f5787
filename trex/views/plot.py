"""Plot: a chart as data, free of any library: values, axes with units, and colors.

A chart makes one of these kinds; each renderer (plotly figure, native chart of a workbook, table) draws all of them.
Values are plain numbers. Unknown values are NaN or None: renderers leave them out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, isfinite


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
    """A chart without data: why, in one sentence, and how to get the data."""

    reason: str
    hint: str = ""


@dataclass(frozen=True)
class Plot:
    """The base of all plots.

    note: one sentence below the title, such as how many values are unknown. layers: per mark its ``layer.index``, so
    that renderers select the same layer everywhere; empty if marks are not layers.
    colors: {color key: #rrggbb}; keys without one get the next color of the palette.
    """

    title: str = field(default="", kw_only=True)
    note: str = field(default="", kw_only=True)
    layers: Sequence[int] = field(default=(), kw_only=True)
    colors: Mapping[str, str] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True)
class Bars(Plot):
    """names, values: one bar each. keys: per bar what its color means, empty for one color. key_title: of the legend.

    shades: a number per bar on a color scale, instead of keys. kind: ``stack`` stacks bars of one name, ``group`` puts
    them side by side. hover: {title: one text per bar}. starts: where each bar begins, so that it ends at
    start + value, as in a waterfall; empty if all begin at zero.
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
    """values: counted into bins. keys: per value what its color means, empty for one color. marks: {text: x}."""

    values: Sequence[float | None]
    value_axis: Axis
    keys: Sequence[str] = ()
    key_title: str = ""
    count_title: str = "layers"
    marks: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Slices:
    """One pie."""

    title: str
    names: Sequence[str]
    values: Sequence[float | None]
    unit: str = ""


@dataclass(frozen=True)
class Pies(Plot):
    """Pies side by side; a color means the same in all of them."""

    pies: Sequence[Slices]
    columns: int = 3


@dataclass(frozen=True)
class Points(Plot):
    """x, y (and z in 3D): one point each. sizes: relative areas, empty for equal ones.

    keys: per point what its color means, or ``shades``: a number per point on a color scale.
    lines: drawn behind the points, such as the ceilings of a roofline: (title, xs, ys).
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

    bands: shaded ranges of x: (text, from, to). marks: {text: x}. levels: {text: y}.
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
    """A hierarchy. paths: per leaf its path from the root. values: of the leaves; inner nodes get their sums.

    kind: ``sunburst``, ``treemap`` or ``icicle``. keys: per leaf what its color means.
    """

    paths: Sequence[tuple[str, ...]]
    values: Sequence[float | None]
    unit: str
    kind: str = "sunburst"
    keys: Sequence[str] = ()
    key_title: str = ""

    def folded(self, most: int) -> Tree:
        """The tree with its ``most`` largest leaves; the others of one branch, and of one color, become one leaf.

        Branches are as deep as they can be while there are no more than ``most``.
        """
        if len(self.paths) <= most:
            return self
        sizes = [value if value is not None and isfinite(value) else 0.0 for value in self.values]
        order = sorted(range(len(sizes)), key=lambda row: -sizes[row])
        kept, others = sorted(order[:most]), sorted(order[most:])
        depth = max(len(path) for path in self.paths) - 1
        while depth and len({self._branch(row, depth) for row in others}) > most:
            depth -= 1
        rest: dict[tuple[tuple[str, ...], str], list[float]] = {}
        for row in others:
            rest.setdefault(self._branch(row, depth), []).append(sizes[row])
        has_layers = len(self.layers) == len(self.paths)
        names = ((*branch, f"{len(values):,} smaller") for (branch, _), values in rest.items())
        return replace(
            self,
            paths=(*(self.paths[row] for row in kept), *names),
            values=(*(self.values[row] for row in kept), *map(fsum, rest.values())),
            keys=(*(self.keys[row] for row in kept), *(key for _, key in rest)) if self.keys else (),
            layers=(*(self.layers[row] for row in kept), *(-1 for _ in rest)) if has_layers else (),
        )

    def _branch(self, row: int, depth: int) -> tuple[tuple[str, ...], str]:
        """The first parts of a leaf's path, and its color key."""
        return self.paths[row][:-1][:depth], self.keys[row] if self.keys else ""
