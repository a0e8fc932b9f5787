"""Charts of comparisons: what they show is what was compared; hostile names are text."""

from __future__ import annotations

import json

import pytest

from tests.factories import engine
from tests.simulated_examples import load_simulated
from trex.compare.plan_diff import PlanDiff
from trex.export.figures.figure import described
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.chart import CHARTS
from trex.views.compare.document import SECTIONS
from trex.views.plot import Bars, Empty, Points


@pytest.fixture(scope="module")
def comparison() -> PlanDiff:
    return PlanDiff(load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual"))


def test_every_chart_belongs_to_a_section_and_explains_itself():
    assert CHARTS.plugs.broken == ()
    assert {chart.group for chart in CHARTS.values()} <= set(SECTIONS.known_names)
    assert all(chart.title and chart.explanation.endswith(".") for chart in CHARTS.values())


@pytest.mark.parametrize("name", CHARTS)
def test_marks_stand_for_changes(comparison: PlanDiff, name: str):
    plot = CHARTS[name].plot(comparison)
    assert isinstance(plot, Bars | Points)
    assert all(0 <= index < len(comparison.changes) for index in plot.layers)
    json.dumps(described(plot), allow_nan=False)


@pytest.mark.parametrize("name", CHARTS)
def test_nothing_to_show_says_why(name: str):
    nothing = EnginePlan(engine())
    assert isinstance(CHARTS[name].plot(PlanDiff(nothing, nothing)), Empty)


def test_the_waterfall_ends_where_the_new_engine_is(comparison: PlanDiff):
    plot = CHARTS["waterfall"].plot(comparison)
    assert isinstance(plot, Bars)
    waterfall = comparison.waterfall
    assert (plot.starts[0], plot.values[0]) == (0.0, waterfall.left_ms)
    assert (plot.starts[-1], plot.values[-1]) == (0.0, waterfall.right_ms)
    ends = [start + value for start, value in zip(plot.starts, plot.values, strict=True)]
    assert ends[:-2] == pytest.approx(list(plot.starts[1:-1])) and ends[-2] == pytest.approx(waterfall.right_ms)
    for value, key in list(zip(plot.values, plot.keys, strict=True))[1:-1]:
        assert key == ("faster" if value < 0 else "slower")


def test_the_largest_difference_stands_first(comparison: PlanDiff):
    plot = CHARTS["largest-differences"].plot(comparison)
    assert isinstance(plot, Bars)
    sizes = [abs(value or 0.0) for value in plot.values]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == max(abs(change.difference_ms) for change in comparison.changes)
