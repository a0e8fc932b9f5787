"""The classic overviews: both keywords and what they return; how menus call the functions that show."""

from __future__ import annotations

from typing import Any

import pytest

import trex
from tests.simulated_examples import load_simulated

go = pytest.importorskip("plotly.graph_objects", reason="plotly is absent: pip install plotly")
pytest.importorskip("ipywidgets", reason="ipywidgets is absent: pip install ipywidgets")


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    import IPython.display

    found: list[Any] = []
    monkeypatch.setattr(IPython.display, "display", lambda *objects: found.extend(objects))
    return found


@pytest.mark.parametrize("name", ["resnet18-int8", "transformer-fp16"])
def test_charts_of_overviews_take_the_classic_keywords(name: str, shown: list[Any]) -> None:
    plan = load_simulated(name)
    card = trex.report_card
    for overview in (
        card.report_card_perf_overview(plan),
        card.report_card_convolutions_overview(plan.get_layers_by_type("Convolution")),
        card.report_card_memory_footprint(plan),
    ):
        assert isinstance(overview, dict) and overview
        for key, chart in overview.items():
            figure = chart(title="Another", do_show=False)
            assert isinstance(figure, go.Figure), key
            if figure.data:
                assert figure.layout.title.text.startswith("Another"), key
    assert not shown


def test_a_chart_is_shown_unless_asked_not_to(shown: list[Any]) -> None:
    overview = trex.report_card.report_card_perf_overview(load_simulated("resnet18-int8"))
    figure = overview["Latency per layer (ms)"]("By position")
    assert shown == [figure] and figure.layout.title.text.startswith("By position")


def test_a_diagram_gets_the_choice_and_its_values() -> None:
    calls: list[tuple[Any, ...]] = []
    menu = trex.interactive.InteractiveDiagram(
        lambda *values: calls.append(values), {"a": (1, 2), "b": "word", "c": [3]}, "Pick"
    )
    menu.choice_widget.value = "b"
    menu.dropdown_state_eventhandler("c")
    assert calls == [("a", 1, 2), ("b", "word"), ("c", 3)]


def test_functions_of_a_menu_get_a_title_if_they_take_one() -> None:
    calls: list[Any] = []

    def with_title(title: str) -> None:
        calls.append(title)

    menu = trex.interactive.InteractiveDiagram_2({"a": with_title, "b": lambda: calls.append(None)}, "Pick")
    menu.dropdown_state_eventhandler("b")
    assert calls == ["a", None]
