"""The report card: every chart stands in one part, and what has nothing to say is left out."""

from __future__ import annotations

from trex.views.report.card import report_card
from trex.views.report.report import PARTS, GraphPicture, LayerTable

from trex.engine_plan import load
from trex.views.chart import CHARTS, GROUPS
from trex.views.plot import Empty, Plot


def test_every_chart_is_in_exactly_one_part() -> None:
    report = report_card(load("example:resnet18-int8"))
    names = [item.name for _, item in report.items()]
    assert sorted(names) == sorted([*CHARTS, "graph", "layers"])


def test_parts_have_their_order_and_no_plug_is_broken() -> None:
    assert PARTS.broken == ()
    orders = [plug.value.order for plug in PARTS.values()]
    assert len(set(orders)) == len(orders)
    report = report_card(load("example:resnet18-int8"))
    places = [PARTS[part.name].value.order for part in report.parts]
    assert places == sorted(places)


def test_items_are_made_when_asked_for_and_explain_themselves() -> None:
    report = report_card(load("example:transformer-fp16"))
    for part, item in report.items():
        shown = item.make()
        assert isinstance(shown, Plot | Empty | LayerTable | GraphPicture), (part.name, item.name)
        assert item.explanation or isinstance(shown, LayerTable | GraphPicture), item.name


def test_every_group_of_charts_belongs_to_a_part() -> None:
    titles = {plug.value.group for plug in CHARTS.values()}
    assert titles <= set(GROUPS)
