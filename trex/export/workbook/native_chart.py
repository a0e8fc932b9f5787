"""Plot → a spreadsheet's own chart over numbers on a sheet; kinds that spreadsheets lack stay tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trex.export.figures.look import FAMILIAR, Look
from trex.export.lettering import elided
from trex.export.workbook.sheets import Sheets
from trex.views.plot import Axis, Bars, Histogram, Lines, Pies, Plot, Points, Tree

MOST_BARS, MOST_POINTS, BINS, MOST_LETTERS = 100, 1000, 30, 28
UNSEEN = "begins at"
"""The series below bars that do not begin at zero; it is not in the legend."""
_SIZE = {"width": 620, "height": 320}


@dataclass(frozen=True)
class ChartSeries:
    """name, color; x and y: the values. They are written as two columns of the data sheet."""

    name: str
    x: Sequence[Any]
    y: Sequence[float | None]
    color: str


@dataclass(frozen=True)
class Native:
    """kind, subtype: xlsxwriter's words. series, axes: what is drawn. note: what was left out."""

    kind: str
    series: tuple[ChartSeries, ...]
    x_axis: Axis
    y_axis: Axis
    subtype: str = ""
    note: str = ""
    title: str = ""


def natives(plot: Plot, look: Look = FAMILIAR) -> list[Native]:
    """The charts that show the plot; none for a kind that spreadsheets lack (space, heat maps)."""
    make = _MAKERS.get(type(plot))
    return [] if make is None else make(plot, look)


class DataSheet:
    """The sheet with the numbers of all native charts, two columns per series."""

    def __init__(self, sheets: Sheets, name: str) -> None:
        self.sheets = sheets
        self.sheet = sheets.sheet(name)
        self.name = self.sheet.get_name()
        self.column = 0

    def chart(self, native: Native, title: str) -> Any:
        """Writes the series and returns the chart, ready to insert."""
        options = {"type": native.kind, **({"subtype": native.subtype} if native.subtype else {})}
        chart = self.sheets.book.add_chart(options)
        for series in native.series:
            chart.add_series(self._series(native, series))
        chart.set_title({"name": title, "name_font": {"size": 11}, "overlay": False})
        if native.kind != "pie":
            categories = _axis(native.x_axis, number=native.kind == "scatter")
            values = {**_axis(native.y_axis, number=True), "major_gridlines": {"visible": True}}
            if native.kind == "bar":  # names are on the vertical axis, and spreadsheets begin at the bottom
                chart.set_x_axis({**values, "label_position": "high"})
                chart.set_y_axis({**categories, "reverse": True, "label_position": "low"})
            else:
                chart.set_x_axis({**categories, "label_position": "low"})
                chart.set_y_axis(values)
        unseen = [index for index, series in enumerate(native.series) if series.name == UNSEEN]
        if len(native.series) < 2 and native.kind != "pie":
            chart.set_legend({"none": True})
        elif unseen:
            chart.set_legend({"delete_series": unseen})
        chart.set_size(_SIZE)
        return chart

    def _series(self, native: Native, series: ChartSeries) -> dict[str, Any]:
        first, last = self.column, len(series.y)
        self.column += 3
        self.sheets.text(self.sheet, 0, first, native.x_axis.heading, self.sheets.head)
        self.sheets.text(self.sheet, 0, first + 1, series.name, self.sheets.head)
        for row, (x, y) in enumerate(zip(series.x, series.y, strict=True), 1):
            self.sheets.cell(self.sheet, row, first, elided(x, MOST_LETTERS) if isinstance(x, str) else x)
            self.sheets.cell(self.sheet, row, first + 1, y)
        options: dict[str, Any] = {
            "name": [self.name, 0, first + 1],
            "categories": [self.name, 1, first, last, first],
            "values": [self.name, 1, first + 1, last, first + 1],
        }
        if native.kind == "pie":
            options["data_labels"] = {"percentage": True, "category": True}
            options["points"] = [{"fill": {"color": color}} for color in series.color.split()]
        elif native.kind == "scatter":
            fill = {"color": series.color}
            options["marker"] = {"type": "circle", "size": 6, "fill": fill, "border": {"none": True}}
        elif native.kind == "line":
            options["line"] = {"color": series.color, "width": 1.25}
        elif not series.color:
            options |= {"fill": {"none": True}, "border": {"none": True}, "gap": 30}
        else:
            options |= {"fill": {"color": series.color}, "gap": 30}
        return options


def _axis(axis: Axis, number: bool) -> dict[str, Any]:
    options: dict[str, Any] = {"name": axis.heading, "name_font": {"size": 9}, "num_font": {"size": 8}}
    if number and axis.log:
        options["log_base"] = 10
    return options


def _bars(plot: Bars, look: Look) -> list[Native]:
    """The largest hundred; a series per color, for the legend."""
    rows = [row for row, value in enumerate(plot.values) if _known(value)]
    note = ""
    if len(rows) > MOST_BARS:
        note = f"the largest {MOST_BARS} of {len(rows)}"
        rows = sorted(sorted(rows, key=lambda row: -(plot.values[row] or 0.0))[:MOST_BARS])
    if not rows:
        return []
    keys = [plot.keys[row] for row in rows] if plot.keys else [""] * len(rows)
    colors = look.colors_of(plot, list(plot.keys)) if plot.keys else {"": look.accent}
    if len(plot.layers) == len(plot.values):
        indexes, names = list(range(len(rows))), [plot.names[row] for row in rows]
    else:
        index_of = {name: index for index, name in enumerate(dict.fromkeys(plot.names[row] for row in rows))}
        indexes, names = [index_of[plot.names[row]] for row in rows], list(index_of)
    series = [_unseen(plot, rows, indexes, names)] if plot.starts else []
    for key in dict.fromkeys(keys):
        values: list[float | None] = [None] * len(names)
        for number, row in enumerate(rows):
            if keys[number] == key:
                height = float(plot.values[row] or 0.0)
                values[indexes[number]] = (values[indexes[number]] or 0.0) + (abs(height) if plot.starts else height)
        series.append(ChartSeries(key or plot.value_axis.title, names, values, _hex(colors[key])))
    kind = "bar" if plot.is_horizontal else "column"
    return [Native(kind, tuple(series), plot.name_axis, plot.value_axis, "stacked", note)]


def _unseen(plot: Bars, rows: Sequence[int], indexes: Sequence[int], names: Sequence[str]) -> ChartSeries:
    """What is below bars that do not begin at zero: the lower end, without a color."""
    values: list[float | None] = [None] * len(names)
    for number, row in enumerate(rows):
        values[indexes[number]] = min(plot.starts[row], plot.starts[row] + float(plot.values[row] or 0.0))
    return ChartSeries(UNSEEN, names, values, "")


def _histogram(plot: Histogram, look: Look) -> list[Native]:
    values = [float(value) for value in plot.values if value is not None and math.isfinite(value)]
    if not values:
        return []
    low, high = min(values), max(values)
    width = (high - low) / BINS or 1.0
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, int((value - low) / width))] += 1
    starts = [float(f"{low + number * width:.4g}") for number in range(BINS)]
    series = ChartSeries(plot.count_title, starts, [float(count) for count in counts], _hex(look.accent))
    return [Native("column", (series,), plot.value_axis, Axis(plot.count_title))]


def _pies(plot: Pies, look: Look) -> list[Native]:
    colors = look.colors_of(plot, [name for pie in plot.pies for name in pie.names])
    charts = []
    for pie in plot.pies:
        known = [(name, value) for name, value in zip(pie.names, pie.values, strict=True) if _known(value) and value]
        if known:
            names, values = zip(*known, strict=True)
            shades = " ".join(_hex(colors[name]) for name in names)
            series = ChartSeries(pie.title, names, values, shades)
            charts.append(Native("pie", (series,), Axis("part"), Axis(pie.title, pie.unit), title=pie.title))
    return charts


def _points(plot: Points, look: Look) -> list[Native]:
    if plot.z_axis is not None:
        return []
    rows = [row for row in range(len(plot.x)) if _known(plot.x[row]) and _known(plot.y[row])]
    note = f"the first {MOST_POINTS} of {len(rows)}" if len(rows) > MOST_POINTS else ""
    rows = rows[:MOST_POINTS]
    keys = list(plot.keys) or [plot.y_axis.title] * len(plot.x)
    colors = look.colors_of(plot, keys) if plot.keys else {plot.y_axis.title: look.accent}
    series = []
    for key in dict.fromkeys(keys[row] for row in rows):
        here = [row for row in rows if keys[row] == key]
        series.append(ChartSeries(key, [plot.x[row] for row in here], [plot.y[row] for row in here], _hex(colors[key])))
    return [Native("scatter", tuple(series), plot.x_axis, plot.y_axis, note=note)] if series else []


def _lines(plot: Lines, look: Look) -> list[Native]:
    """Every n-th value, where there are too many to distinguish."""
    step = max(1, len(plot.x) // MOST_POINTS)
    colors = look.colors_of(plot, list(plot.series))
    series = tuple(
        ChartSeries(title, list(plot.x)[::step], list(values)[::step], _hex(colors[title]))
        for title, values in plot.series.items()
    )
    note = f"every {step}. value of {len(plot.x)}" if step > 1 else ""
    return [Native("line", series, plot.x_axis, plot.y_axis, note=note)] if series and len(plot.x) else []


def _tree(plot: Tree, look: Look) -> list[Native]:
    """The first level as bars: files cannot make spreadsheets draw trees."""
    totals: dict[str, float] = {}
    for path, value in zip(plot.paths, plot.values, strict=True):
        if path and value is not None and _known(value):
            totals[path[0]] = totals.get(path[0], 0.0) + float(value)
    names = sorted(totals, key=lambda name: -totals[name])
    bars = Bars(names, [totals[name] for name in names], Axis("part"), Axis("sum", plot.unit), title=plot.title)
    return _bars(replace(bars, colors=plot.colors), look)


def _known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _hex(color: str) -> str:
    return color if color.startswith("#") else "#808080"


_MAKERS: dict[type, Callable[[Any, Look], list[Native]]] = {
    Bars: _bars,
    Histogram: _histogram,
    Pies: _pies,
    Points: _points,
    Lines: _lines,
    Tree: _tree,
}
