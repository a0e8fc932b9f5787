"""Plot → Table: the numbers behind a chart, for readers without pictures and for spreadsheets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from trex.views.plot import Axis, Bars, Histogram, Lines, Pies, Plot, Points, Tree
from trex.views.table import Table, TableColumn

_KINDS = {"ms": "ms", "%": "pct", "bytes": "bytes"}
_SEPARATOR = " › "


def plot_table(plot: Plot) -> Table:
    """One row per mark, in the plot's order; unknown values stay unknown."""
    return _MAKERS[type(plot)](plot)


def number_column(axis: Axis) -> TableColumn:
    """A column of an axis's numbers, spelled as its unit asks."""
    kind = _KINDS.get(axis.unit, "number")
    return TableColumn(axis.title, kind, axis.unit if kind in ("ms", "pct") else "" if kind == "bytes" else axis.unit)


def _bars(plot: Bars) -> Table:
    columns = [TableColumn(plot.name_axis.title, "name"), number_column(plot.value_axis)]
    values: list[Sequence[Any]] = [plot.names, plot.values]
    if plot.keys:
        columns.insert(1, TableColumn(plot.key_title or "color"))
        values.insert(1, plot.keys)
    if plot.starts:
        columns.append(number_column(Axis("begins at", plot.value_axis.unit)))
        values.append(plot.starts)
    if plot.shades and plot.shade_axis is not None:
        columns.append(number_column(plot.shade_axis))
        values.append(plot.shades)
    return _table(plot, columns, values)


def _histogram(plot: Histogram) -> Table:
    columns = [number_column(plot.value_axis)]
    values: list[Sequence[Any]] = [plot.values]
    if plot.keys:
        columns.insert(0, TableColumn(plot.key_title or "color"))
        values.insert(0, plot.keys)
    return _table(plot, columns, values)


def _pies(plot: Pies) -> Table:
    units = {pie.unit for pie in plot.pies}
    axis = Axis("value", units.pop()) if len(units) == 1 else Axis("value")
    rows = [(pie.title, name, value) for pie in plot.pies for name, value in zip(pie.names, pie.values, strict=True)]
    return Table(plot.title, (TableColumn("of"), TableColumn("part"), number_column(axis)), tuple(rows))


def _points(plot: Points) -> Table:
    columns = [number_column(plot.x_axis), number_column(plot.y_axis)]
    values: list[Sequence[Any]] = [plot.x, plot.y]
    for axis, numbers in ((plot.z_axis, plot.z), (plot.shade_axis, plot.shades)):
        if axis is not None and numbers:
            columns.append(number_column(axis))
            values.append(numbers)
    if plot.keys:
        columns.insert(0, TableColumn(plot.key_title or "color"))
        values.insert(0, plot.keys)
    if plot.texts:
        columns.insert(0, TableColumn("name", "name"))
        values.insert(0, plot.texts)
    return _table(plot, columns, values)


def _lines(plot: Lines) -> Table:
    columns = [number_column(plot.x_axis)]
    columns += [number_column(Axis(title, plot.y_axis.unit)) for title in plot.series]
    return _table(plot, columns, [plot.x, *plot.series.values()])


def _tree(plot: Tree) -> Table:
    columns = [TableColumn("part"), number_column(Axis("value", plot.unit))]
    values: list[Sequence[Any]] = [[_SEPARATOR.join(path) for path in plot.paths], plot.values]
    if plot.keys:
        columns.insert(1, TableColumn(plot.key_title or "color"))
        values.insert(1, plot.keys)
    return _table(plot, columns, values)


def _table(plot: Plot, columns: Sequence[TableColumn], values: Sequence[Sequence[Any]]) -> Table:
    return Table(plot.title, tuple(columns), tuple(zip(*values, strict=True)))


_MAKERS: dict[type, Callable[[Any], Table]] = {
    Bars: _bars,
    Histogram: _histogram,
    Pies: _pies,
    Points: _points,
    Lines: _lines,
    Tree: _tree,
}
