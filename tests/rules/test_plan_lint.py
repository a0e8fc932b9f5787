"""PlanLint: one lint result for everything that shows it, under the settings that came with it."""

from __future__ import annotations

import pytest

from tests.simulated_examples import SIMULATED
from trex.core.configuration import LintConfiguration, LintSettings
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.export.diagram import Drawing, render_diagram
from trex.export.document import render_document
from trex.graph.build import build_graph
from trex.perf.performance import Performance
from trex.rules import lint as linting
from trex.rules.plan_lint import PlanLint, lint_of
from trex.views.diagram.coloring import coloring
from trex.views.diagram.style import DiagramStyle
from trex.views.report.document import report_document

ENGINE = str(SIMULATED / "resnet18-int8")
SETTINGS = LintConfiguration(LintSettings(ignore=("*",)), where="/home/me/trex.toml")


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One entry for each time the rules run."""
    runs: list[object] = []
    real = linting.lint

    def counting(performance: Performance, **more: object) -> object:
        runs.append(performance)
        return real(performance, **more)

    monkeypatch.setattr(linting, "lint", counting)
    return runs


def test_settings_are_found_when_they_are_needed() -> None:
    def no_toml() -> LintConfiguration:
        raise TrexError("not TOML")

    lint = PlanLint(load(ENGINE), None, no_toml)
    assert lint.performance.plan is lint.plan
    with pytest.raises(TrexError, match="not TOML"):
        _ = lint.result


def test_a_page_is_made_from_one_lint_result(results: list[object]) -> None:
    drawing = Drawing(load(ENGINE), DiagramStyle(color_by="findings"))
    assert b"Layers by findings" in render_diagram(drawing, "html")
    assert len(results) == 1
    render_diagram(drawing, "html")
    render_diagram(drawing, "svg")
    assert len(results) == 1


def test_colors_by_type_need_none(results: list[object]) -> None:
    render_diagram(Drawing(load(ENGINE)), "svg")
    assert not results


def test_a_report_is_made_from_one_lint_result(results: list[object]) -> None:
    pytest.importorskip("plotly")
    page = render_document(report_document(load(ENGINE), None, 10, SETTINGS), "html")
    assert len(results) == 1
    assert b"Settings: trex.toml" in page and b"no findings (0 rules)" in page
    assert b"/home/me" not in page


@pytest.mark.parametrize("kind", ["svg", "dot", "html"])
def test_colors_obey_and_say_so(kind: str) -> None:
    plan = load(ENGINE)
    drawing = Drawing(plan, DiagramStyle(color_by="findings"), lint=PlanLint(plan, None, SETTINGS))
    assert "Layers by findings (settings of trex.toml)" in render_diagram(drawing, kind).decode()
    paints = coloring("findings").paint(drawing.graph, drawing.style.latency_ms)
    assert {paint.text for paint in paints} == {"no finding"}


def test_empty_settings_are_not_mentioned() -> None:
    graph = build_graph(plan := load(ENGINE), lint=PlanLint(plan, None, LintConfiguration(where="trex.toml")))
    assert coloring("findings").titled(graph) == "Layers by findings"
    assert lint_of(graph) is graph.lint


def test_bounds_are_of_the_device_that_was_named() -> None:
    from trex.perf.known_devices import find_device

    plan = load(ENGINE)
    other = build_graph(plan, lint=PlanLint(plan, find_device("T4")))
    latency = DiagramStyle().latency_ms
    assert coloring("bound").paint(other, latency) != coloring("bound").paint(build_graph(plan), latency)
