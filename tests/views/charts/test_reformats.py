"""Charts of reformats: the same layers as rules count."""

from __future__ import annotations

from tests.rules.cases import analyzed, conv, copy, half, work
from trex.views.chart import Subject
from trex.views.charts.reformats import CHARTS
from trex.views.plot import Empty, Pies


def origins_of(*layers, ms):
    plan = analyzed(*layers, ms=ms).plan
    plot = CHARTS[0].draw(Subject(plan.df))
    return plot.pies[0] if isinstance(plot, Pies) else plot


def test_all_types_of_reformats_count() -> None:
    layers = (
        copy("R_1", half("x"), half("a", format="NCHW")),
        work("M_2", "MyelinReformat", [half("a")], half("b")),
        conv("Conv_3", [half("b")], half("y")),
    )
    slices = origins_of(*layers, ms=[0.1, 0.2, 1.0])
    assert dict(zip(slices.names, slices.values)) == {"REFORMAT": 1, "MyelinReformat": 1}


def test_without_one_the_chart_says_so() -> None:
    assert isinstance(origins_of(conv("Conv_3", [half("x")], half("y")), ms=[1.0]), Empty)
