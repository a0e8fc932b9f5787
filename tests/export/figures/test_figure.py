"""Every kind of plot becomes a figure that plotly accepts, whatever the names and numbers in it."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf, nan

import pytest

from trex.export.figures.figure import KINDS, described, figure_of
from trex.export.figures.look import Look, label, quantity
from trex.views.plot import Axis, Bars, Empty, Histogram, Lines, Pies, Plot, Points, Slices, Tree

HOSTILE = "<script>alert(1)</script><a href='javascript:x'>&amp;\x1b[2J"
MS, BYTES = Axis("time", "ms"), Axis("size", "bytes")
PLOTS: tuple[Plot, ...] = (
    Bars(
        [HOSTILE, "b"],
        [1.0, nan],
        Axis("layers"),
        MS,
        keys=[HOSTILE, "FP16"],
        hover={HOSTILE: [HOSTILE, 1]},
        title=HOSTILE,
    ),
    Bars(["base", "a", "new"], [3.0, -1.0, 2.0], Axis("cause"), MS, keys=["x", "y", "x"], starts=[0.0, 3.0, 0.0]),
    Bars(["a", "a"], [1.0, 2.0], Axis("layers"), MS, layers=[4, 7], title="equal names stay apart"),
    Histogram([1.0, None, inf, 3.0], MS, keys=["a", HOSTILE, "b", "b"], marks={HOSTILE: 2.0}),
    Pies([Slices(HOSTILE, [HOSTILE, "FP32"], [1.0, None], "ms"), Slices("none", [], [])]),
    Pies([], title="no pie"),
    Points([1.0, nan], [2.0, 3.0], MS, Axis("rate", log=True), texts=[HOSTILE, "b"], sizes=[1.0, nan], layers=[0, 1]),
    Points([1.0], [2.0], MS, MS, z=[3.0], z_axis=BYTES, shades=[1.0], shade_axis=MS, lines=[(HOSTILE, [1], [2])]),
    Bars(["a", "b"], [1.0, 2.0], Axis("layers"), MS, shades=[nan, 2.0], shade_axis=MS, title="shaded"),
    Points([1.0], [2.0], MS, MS, shades=[None], shade_axis=MS, title="unknown shades"),
    Lines([0.0, 1.0], {HOSTILE: [1.0, nan]}, MS, BYTES, bands=[(HOSTILE, 0, 1)], marks={HOSTILE: 1.0}),
    Tree([("a", HOSTILE), ("a", "b"), ()], [1.0, nan, 0.0], "ms", keys=[HOSTILE, "b", "c"]),
)


def test_every_kind_of_plot_is_tried() -> None:
    assert {type(plot) for plot in PLOTS} == set(KINDS) == set(Plot.__subclasses__())


@pytest.mark.parametrize("look", [Look(), Look(is_dark=True, colors="safe", width=400, height=300)])
@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: f"{type(plot).__name__} {plot.title[:20]}")
def test_plotly_accepts_what_is_described(plot: Plot, look: Look) -> None:
    figure = figure_of(plot, look)
    text = json.dumps(described(plot, look), allow_nan=False)
    assert "<script" not in text and "<a " not in text and "\\u001b" not in text
    assert len(figure.data) == len(described(plot, look)["data"])


def test_layers_of_one_name_have_a_bar_each_and_groups_share_their_place() -> None:
    bars = Bars(["a", "a", "c"], [1.0, 2.0, 3.0], Axis("n"), MS)
    assert [trace["x"] for trace in described(replace(bars, layers=[3, 5, 9]))["data"]] == [[0, 1, 2]]
    assert [trace["x"] for trace in described(bars)["data"]] == [[0, 0, 1]]


def test_slices_of_long_names_stay_apart() -> None:
    """Plotly adds up the slices of one label."""
    names = [f"{'x' * 40}{number}{'y' * 40}" for number in range(3)]
    ((trace,),) = [described(Pies([Slices("p", ["a", *names, "a (2)", "a", ""], [1.0] * 7, "ms")]))["data"]]
    assert len(set(trace["labels"])) == 7 and "" not in trace["labels"]


def test_bars_that_do_not_begin_at_zero_say_where() -> None:
    bars = Bars(["b", "c", "n"], [3.0, -1.0, 2.0], Axis("n"), MS, keys=["x", "y", "x"], starts=[0.0, 3.0, 0.0])
    traces = described(bars)["data"]
    assert [(trace["base"], trace["y"]) for trace in traces] == [([0.0, 0.0], [3.0, 2.0]), ([3.0], [-1.0])]
    assert all("base" not in trace for trace in described(replace(bars, starts=()))["data"])


def test_marks_carry_the_layers_they_stand_for() -> None:
    bars = Bars(["a", "b", "c"], [1.0, 2.0, 3.0], Axis("n"), MS, keys=["x", "y", "x"], layers=[3, 5, 9])
    assert [trace["customdata"] for trace in described(bars)["data"]] == [[3, 9], [5]]


def test_branches_of_a_tree_are_the_sums_of_their_leaves() -> None:
    plot = Tree([("a", "b"), ("a", "c"), ("d",)], [1.0, 2.0, 4.0], "ms")
    (trace,) = described(plot)["data"]
    found = dict(zip(trace["labels"], trace["values"], strict=True))
    assert found == {"a": 3.0, "b": 1.0, "c": 2.0, "d": 4.0}
    assert trace["parents"] == ["", "0", "0", ""]


def test_words_stand_at_their_lines_on_logarithmic_axes() -> None:
    batch = Axis("batch", log=True)
    plot = Lines([1.0, 100.0], {"a": [1.0, 2.0]}, batch, batch, marks={"here": 100.0}, levels={"there": 10.0})
    layout = described(plot)["layout"]
    here, there = layout["annotations"]
    assert (here["x"], there["y"]) == (2.0, 1.0)  # exponents of ten, while lines have the values themselves
    assert [(shape["x0"], shape["y0"]) for shape in layout["shapes"]] == [(100.0, 0), (0, 10.0)]


def test_an_empty_chart_shows_its_sentence() -> None:
    shown = described(Empty("no layer has a time", "profile it"))
    assert shown["data"] == [] and "no layer has a time<br>profile it" in shown["layout"]["annotations"][0]["text"]


def test_the_safe_colors_replace_the_familiar_ones() -> None:
    plot = Bars(["a"], [1.0], Axis("n"), MS, keys=["FP32"], colors={"FP32": "#cc3311"})
    assert described(plot)["data"][0]["marker"]["color"] == "#cc3311"
    assert described(plot, Look(colors="safe"))["data"][0]["marker"]["color"] == "#d55e00"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "ms", "–"),
        (nan, "ms", "–"),
        (0.03125, "ms", "0.03125 ms"),
        (1536.0, "bytes", "1.5 KiB"),
        (12.345, "%", "12.35 %"),
        (5.0, "", "5"),
        (1234567.0, "", "1,234,567"),
    ],
)
def test_quantities_read_as_people_write_them(value: float | None, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


def test_long_labels_lose_their_middle() -> None:
    assert label("x" * 30 + "y" * 30, 21) == "x" * 10 + "…" + "y" * 10
