"""Markdown: the numbers of charts as tables."""

from __future__ import annotations

from trex.export.document import render_document
from trex.views.document import Document, PlotBlock, Section
from trex.views.plot import Axis, Bars, Pies, Plot, Slices


def markdown(plot: Plot) -> str:
    section = Section("a", "A", (PlotBlock("b", "B", lambda: plot),))
    return render_document(Document("report", "x", sections=(section,)), "markdown").decode()


def test_of_bars_that_begin_one_behind_the_other_the_largest_are_shown() -> None:
    names = [f"p{number}" for number in range(25)]
    starts = [float(number) for number in range(25)]
    text = markdown(Bars(names, [100.0] + [1.0] * 24, Axis("phase"), Axis("time", "s"), starts=starts, title="Phases"))
    assert "the largest 20 of 25" in text and "| p0 |" in text


def test_of_pies_with_many_parts_the_others_are_counted() -> None:
    parts = [f"o{number}" for number in range(23)]
    text = markdown(Pies([Slices("layers", parts, [1.0] * 23)], title="Origins"))
    assert "| o19 |" in text and "| o20 |" not in text and "… 3 more" in text


def test_what_a_chart_leaves_out_stands_below_its_numbers() -> None:
    note = "12 of 25 layers not profiled"
    for plot in (
        Bars(["a"], [1.0], Axis("type"), Axis("time", "ms"), title="Times", note=note),
        Pies([Slices("layers", ["a"], [1.0])], title="Origins", note=note),
    ):
        assert markdown(plot).rstrip().endswith(f"*{note}*")
