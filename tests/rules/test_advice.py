"""Advice: one review for everything that shows it, under the settings that came with it."""

from __future__ import annotations

import pytest

from trex.core.configuration import LintConfiguration, LintSettings
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.export.diagram import Drawing, render_diagram
from trex.graph.build import build_graph
from trex.perf.performance import Performance
from trex.rules import review as reviewing
from trex.rules.advice import Advice, advice_of
from trex.views.chart import Subject
from trex.views.diagram.coloring import coloring
from trex.views.diagram.style import DiagramStyle
from trex.views.report.card import report_of

ENGINE = "example:resnet18-int8"
SETTINGS = LintConfiguration(LintSettings(ignore=("*",)), where="/home/me/trex.toml")


@pytest.fixture
def reviews(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One entry for each review that is made."""
    made: list[object] = []
    real = reviewing.review

    def counting(performance: Performance, *more: object) -> object:
        made.append(performance)
        return real(performance, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(reviewing, "review", counting)
    return made


def test_settings_are_found_when_they_are_needed() -> None:
    def none_there() -> LintConfiguration:
        raise TrexError("not TOML")

    advice = Advice(load(ENGINE), None, none_there)
    assert advice.performance.plan is advice.plan
    with pytest.raises(TrexError, match="not TOML"):
        _ = advice.review


def test_a_page_is_made_from_one_review(reviews: list[object]) -> None:
    drawing = Drawing(load(ENGINE), DiagramStyle(color_by="findings"))
    assert b"Layers by findings" in render_diagram(drawing, "html")
    assert len(reviews) == 1
    render_diagram(drawing, "html")
    render_diagram(drawing, "svg")
    assert len(reviews) == 1


def test_colors_by_type_need_none(reviews: list[object]) -> None:
    render_diagram(Drawing(load(ENGINE)), "svg")
    assert not reviews


def test_a_report_is_made_from_one_review(reviews: list[object]) -> None:
    pytest.importorskip("plotly")
    from trex.export.report import ReportStyle
    from trex.export.reports.html import render

    plan = load(ENGINE)
    page = render(report_of(Subject.of_plan(plan, None, SETTINGS), plan), ReportStyle())
    assert len(reviews) == 1
    assert b"Settings of trex.toml apply: " in page and b"Nothing found: 0 rules ran." in page
    assert b"/home/me" not in page


@pytest.mark.parametrize("kind", ["svg", "dot", "html"])
def test_colors_obey_and_say_so(kind: str) -> None:
    plan = load(ENGINE)
    drawing = Drawing(plan, DiagramStyle(color_by="findings"), advice=Advice(plan, None, SETTINGS))
    assert "Layers by findings (settings of trex.toml)" in render_diagram(drawing, kind).decode()
    paints = coloring("findings").paints(drawing.graph, drawing.style.latency_ms)
    assert {paint.text for paint in paints} == {"no finding"}


def test_settings_that_say_nothing_are_not_told() -> None:
    graph = build_graph(plan := load(ENGINE), lint=Advice(plan, None, LintConfiguration(where="trex.toml")))
    assert coloring("findings").titled(graph) == "Layers by findings"
    assert advice_of(graph) is graph.lint


def test_bounds_are_of_the_device_that_was_named() -> None:
    from trex.perf.known_devices import find_device

    plan = load(ENGINE)
    other = build_graph(plan, lint=Advice(plan, find_device("T4")))
    latency = DiagramStyle().latency_ms
    assert coloring("bound").paints(other, latency) != coloring("bound").paints(build_graph(plan), latency)
