"""Charts of comparisons: what they show is what was compared; hostile names are text."""

from __future__ import annotations

import json

import pytest

from tests.factories import engine
from trex.compare.comparison import Comparison
from trex.engine_plan import load_example
from trex.export.figures.figure import described
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.views.comparison.chart import CHARTS
from trex.views.comparison.section import SECTIONS
from trex.views.plot import Bars, Empty, Points


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return Comparison(load_example("resnet18-int8"), load_example("resnet18-int8-residual"))


def test_every_chart_belongs_to_a_section_and_explains_itself():
    assert CHARTS.broken == ()
    for plug in CHARTS.values():
        assert plug.value.section in SECTIONS.known_names
        assert "What it shows:" in plug.doc
    orders = [plug.value.order for plug in CHARTS.values()]
    assert len(set(orders)) == len(orders)


@pytest.mark.parametrize("name", CHARTS.names)
def test_marks_stand_for_changes(comparison: Comparison, name: str):
    plot = CHARTS[name].value.make(comparison)
    assert isinstance(plot, Bars | Points)
    assert all(0 <= at < len(comparison.changes) for at in plot.layers)
    json.dumps(described(plot), allow_nan=False)


@pytest.mark.parametrize("name", CHARTS.names)
def test_nothing_to_show_says_why(name: str):
    nothing = EnginePlan(engine())
    assert isinstance(CHARTS[name].value.make(Comparison(nothing, nothing)), Empty)


def test_the_waterfall_ends_where_the_new_engine_is(comparison: Comparison):
    plot = CHARTS["waterfall"].value.make(comparison)
    fall = comparison.waterfall
    assert (plot.starts[0], plot.values[0]) == (0.0, fall.left_ms)
    assert (plot.starts[-1], plot.values[-1]) == (0.0, fall.right_ms)
    ends = [start + value for start, value in zip(plot.starts, plot.values, strict=True)]
    assert ends[:-2] == pytest.approx(list(plot.starts[1:-1])) and ends[-2] == pytest.approx(fall.right_ms)
    for value, key in list(zip(plot.values, plot.keys, strict=True))[1:-1]:
        assert key == ("faster" if value < 0 else "slower")


def test_the_largest_difference_stands_first(comparison: Comparison):
    plot = CHARTS["largest-differences"].value.make(comparison)
    sizes = [abs(value) for value in plot.values]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == max(abs(each.difference_ms) for each in comparison.changes)


def test_modules_that_one_engine_tells_are_those_of_both(shared_engines):
    plans = [load_plan(EnginePlan, str(shared_engines / f"trt8.4-resnet18-a100-{name}")) for name in ("fp32", "qat")]
    for left, right in (plans, plans[::-1]):
        plot = CHARTS["differences-by-module"].value.make(Comparison(left, right))
        assert isinstance(plot, Bars) and {"conv1", "layer1/0", "layer4/1"} <= set(plot.names)


def test_advice_on_modules_is_of_what_is_missing(shared_engines):
    plans = [load_plan(EnginePlan, str(shared_engines / f"trt8.4-resnet18-a100-{name}")) for name in ("fp32", "fp16")]
    empty = CHARTS["differences-by-module"].value.make(Comparison(plans[0], plans[1]))
    assert isinstance(empty, Empty) and "either engine" in empty.reason and "'Conv_" in empty.reason
    assert "profilingVerbosity" not in empty.hint and "export the model with names" in empty.hint
