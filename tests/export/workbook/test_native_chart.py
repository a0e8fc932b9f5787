"""A spreadsheet's own chart for every kind of plot that it can show."""

from __future__ import annotations

import io
from math import nan
from xml.etree.ElementTree import fromstring
from zipfile import ZipFile

import pytest

from tests.export.figures.test_figure import PLOTS
from trex.export.workbook.native_chart import MOST_BARS, UNSEEN, DataSheet, natives
from trex.export.workbook.sheets import Sheets
from trex.views.plot import Axis, Bars, Histogram, Pies, Plot, Points, Slices, Tree

pytest.importorskip("xlsxwriter", reason="xlsxwriter is absent: pip install xlsxwriter")
MS = Axis("time", "ms")


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: f"{type(plot).__name__} {plot.title[:20]}")
def test_every_kind_is_written_or_left_out(plot: Plot) -> None:
    sheets = Sheets()
    data = DataSheet(sheets, "data")
    made = [data.chart(native, plot.title) for native in natives(plot)]
    for chart in made:
        data.sheet.insert_chart(0, 0, chart)
    if isinstance(plot, Points) and plot.z_axis is not None:
        assert not made
    assert sheets.content().startswith(b"PK")


def test_the_largest_bars_stay_in_their_order() -> None:
    values = [float(value % 150) for value in range(300)]
    bars = Bars([str(each) for each in range(300)], values, Axis("layer"), MS, layers=range(300))
    (native,) = natives(bars)
    (series,) = native.series
    assert len(series.y) == MOST_BARS and native.note == "the largest 100 of 300"
    assert list(series.x) == sorted(series.x, key=int) and min(y or 0.0 for y in series.y) == 100.0


def test_colors_become_series_and_alike_names_are_added_up() -> None:
    bars = Bars(["a", "a", "b"], [1.0, 2.0, 4.0], Axis("type"), MS, keys=["FP16", "INT8", "FP16"])
    (native,) = natives(bars)
    assert [(each.name, list(each.x), list(each.y)) for each in native.series] == [
        ("FP16", ["a", "b"], [1.0, 4.0]),
        ("INT8", ["a", "b"], [2.0, None]),
    ]


def test_bars_that_do_not_begin_at_zero_stand_on_what_is_not_seen() -> None:
    bars = Bars(["b", "c", "n"], [3.0, -1.0, 2.0], Axis("n"), MS, keys=["x", "y", "x"], starts=[0.0, 3.0, 0.0])
    (native,) = natives(bars)
    assert [(each.name, list(each.y)) for each in native.series] == [
        (UNSEEN, [0.0, 2.0, 0.0]),
        ("x", [3.0, None, 2.0]),
        ("y", [None, 1.0, None]),
    ]
    assert native.series[0].color == ""


def test_bins_count_every_known_value() -> None:
    (native,) = natives(Histogram([0.0, 1.0, 1.0, 10.0, nan, None], MS))
    assert (
        sum(y or 0.0 for y in native.series[0].y) == 4.0
        and native.series[0].y[0] == 1.0
        and native.series[0].y[-1] == 1.0
    )


def test_circles_without_values_are_left_out() -> None:
    plot = Pies([Slices("c", ["a", "b"], [0.0, 3.0]), Slices("none", ["a"], [nan])])
    (native,) = natives(plot)
    assert list(native.series[0].x) == ["b"] and native.title == "c"


def test_the_first_level_of_a_tree_is_shown() -> None:
    (native,) = natives(Tree([("a", "b"), ("a", "c"), ("d", "e")], [1.0, 2.0, 4.0], "ms"))
    assert list(native.series[0].x) == ["d", "a"] and list(native.series[0].y) == [4.0, 3.0]


def test_lying_bars_name_their_rows_on_the_left_and_read_from_the_top() -> None:
    """As spreadsheets understand the file: the vertical axis has the names and is turned, the other one the values."""
    sheets = Sheets()
    data = DataSheet(sheets, "data")
    bars = Bars(["first", "second " + "x" * 60], [2.0, 1.0], Axis("layer"), MS, is_horizontal=True)
    (native,) = natives(bars)
    data.sheet.insert_chart(0, 0, data.chart(native, "b"))
    with ZipFile(io.BytesIO(sheets.content())) as book:
        chart = fromstring(book.read("xl/charts/chart1.xml"))
        texts = book.read("xl/sharedStrings.xml").decode()
    names, values = (chart.find(f".//{{*}}{axis}") for axis in ("catAx", "valAx"))
    assert names is not None and values is not None
    assert names.find("./{*}scaling/{*}orientation").get("val") == "maxMin"  # type: ignore[union-attr]
    assert values.find("./{*}scaling/{*}orientation").get("val") == "minMax"  # type: ignore[union-attr]
    assert "".join(names.find("./{*}title").itertext()) == "layer"  # type: ignore[union-attr]
    assert "".join(values.find("./{*}title").itertext()) == "time (ms)"  # type: ignore[union-attr]
    assert f"second {'x' * 7}…" in texts
