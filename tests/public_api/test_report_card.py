"""trex.report_card, trex.notebook and trex.interactive, as notebooks of TREx call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import trex
from tests.raw_records import plan_of, times
from tests.simulated_examples import SIMULATED
from trex.jupyter.show import Tables

pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
pytest.importorskip("ipywidgets", reason="ipywidgets is absent: pip install ipywidgets")
card = trex.report_card


@pytest.fixture
def plan() -> trex.EnginePlan:
    return trex.load(str(SIMULATED / "resnet18-int8"))


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been shown."""
    import IPython.display

    found: list[Any] = []
    monkeypatch.setattr(IPython.display, "display", lambda *objects: found.extend(objects))
    return found


@pytest.mark.parametrize(
    ("overview", "at_least"),
    [
        (lambda plan: card.report_card_perf_overview(plan), 10),
        (lambda plan: card.report_card_convolutions_overview(plan.get_layers_by_type("Convolution")), 13),
        (lambda plan: card.report_card_memory_footprint(plan), 6),
    ],
)
def test_overviews_are_functions_by_title(
    plan: trex.EnginePlan, overview: Any, at_least: int, shown: list[Any]
) -> None:
    found = overview(plan)
    assert len(found) >= at_least
    for title, draw in found.items():
        figure = draw()
        assert figure.data or figure.layout.annotations, title
        assert shown[-1] is figure


@pytest.mark.parametrize(
    "name",
    [
        "report_card_perf_overview_widget",
        "report_card_memory_footprint_widget",
        "report_card_table_view",
        "report_card_reformat_overview",
        "report_card_gemm_MNK",
        "report_card_gemm_MNK_scatter",
        "report_card_perf_scatter",
    ],
)
def test_menus_show_every_choice(plan: trex.EnginePlan, name: str, shown: list[Any]) -> None:
    menu = getattr(card, name)(plan)
    for choice in menu.choice_widget.options:
        before = len(shown)
        menu.choice_widget.value = choice
        menu.dropdown_state_eventhandler(choice)
        assert len(shown) > before, choice


@pytest.mark.parametrize("profiled", [0, 3])
def test_charts_and_menus_need_no_times(plan: trex.EnginePlan, profiled: int, tmp_path: Path, shown: list[Any]) -> None:
    names = [layer.name for layer in plan.layers[1 : profiled + 1]]
    profile = times(*((name, 1.0) for name in names)) if names else None
    untimed = plan_of(tmp_path, [layer.raw for layer in plan.all_layers], None, profile)
    assert untimed.df["latency.avg_time"].notna().sum() == profiled
    convs = untimed.get_layers_by_type("Convolution")
    for overview in (
        card.report_card_perf_overview(untimed),
        card.report_card_convolutions_overview(convs),
        card.report_card_memory_footprint(untimed),
    ):
        for title, draw in overview.items():
            figure = draw()
            assert figure.data or figure.layout.annotations, title
    for name in ("reformat_overview", "gemm_MNK", "gemm_MNK_scatter", "perf_scatter", "table_view"):
        menu = getattr(card, f"report_card_{name}")(untimed)
        for choice in menu.choice_widget.options:
            before = len(shown)
            menu.dropdown_state_eventhandler(choice)
            assert len(shown) > before, choice


def test_the_convolutions_have_a_menu(plan: trex.EnginePlan) -> None:
    menu = card.report_card_convolutions_overview_widget(plan.get_layers_by_type("Convolution"))
    assert len(menu.choice_widget.options) >= 13


def test_the_graph_has_presets_and_switches(plan: trex.EnginePlan, tmp_path: Path, shown: list[Any]) -> None:
    menu = card.report_card_draw_plan_graph(plan, "resnet")
    assert len(menu.choice_widget.options) == 5
    chooser = card.report_card_draw_plan_graph_extended(plan, str(tmp_path / "resnet"))
    assert len(chooser.switches) == 14 and len(chooser.menus) == 3
    chooser.switches["display_regions"].value = True
    assert chooser.options["display_regions"] is True
    chooser.save_svg()
    assert (tmp_path / "resnet.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")
    pytest.importorskip("onnx")
    chooser.save_onnx()
    assert (tmp_path / "resnet.onnx").stat().st_size > 0


def test_the_table_view_shows_the_chosen_type(plan: trex.EnginePlan) -> None:
    seen: list[Any] = []
    trex.notebook.set_table_display_backend(lambda df, **options: seen.append(df))
    try:
        menu = card.report_card_table_view(plan)
        menu.choice_widget.value = "Reformat"
    finally:
        Tables.backend = None
    assert len(seen[0]) == len(plan.df) and set(seen[-1]["type"]) == {"Reformat"}


def test_sunburst_timings_and_3d(plan: trex.EnginePlan, tmp_path: Path) -> None:
    assert card.layer_latency_sunburst(plan.df, "t", do_show=False).data[0].type == "sunburst"
    file = tmp_path / "x.timing.json"
    file.write_text(json.dumps([{"startEnqMs": 0.0, "latencyMs": 1.0 + k % 2, "computeMs": 1.0} for k in range(20)]))
    figure = card.plot_engine_timings(str(file), do_show=False)
    assert list(figure.data[0].y)[:2] == [1.0, 2.0] and len(figure.layout.shapes) == 2
    assert card.report_card_efficiency_vs_latency_3d(plan).data[0].type == "scatter3d"


def test_pointwise_layers_name_who_might_take_them_in(shown: list[Any]) -> None:
    plan = trex.EnginePlan(
        [
            {"Name": "conv", "LayerType": "Convolution", "Inputs": [{"Name": "x"}], "Outputs": [{"Name": "a"}]},
            {
                "Name": "relu",
                "LayerType": "PointWise",
                "ParameterType": "PointWise",
                "Operations": ["a", "b"],
                "Inputs": [{"Name": "a"}],
                "Outputs": [{"Name": "b"}],
            },
        ]
    )
    seen: list[Any] = []
    Tables.backend = lambda df: seen.append(df)
    try:
        card.report_card_pointwise_lint(plan)
    finally:
        Tables.backend = None
    (row,) = seen[0].to_dict("records")
    assert row["might join"] == "conv" and row["operations"] == 2


def test_tables_are_html_without_a_server_unless_asked(plan: trex.EnginePlan, shown: list[Any]) -> None:
    trex.notebook.display_df(plan.df)
    html = shown[-1].data
    assert html.startswith("<div") and "<script" not in html
    calls: list[dict[str, Any]] = []

    def picky(df: Any) -> None:
        calls.append({"rows": len(df)})

    trex.notebook.set_table_display_backend(picky)
    try:
        trex.notebook.display_df(plan.df, precision=2)
        trex.notebook.table_display_backend(plan.df)
    finally:
        Tables.backend = None
    assert calls == [{"rows": 35}, {"rows": 35}]


def test_headings_and_width_are_shown(shown: list[Any]) -> None:
    trex.notebook.section_header("<b>Layers</b>")
    assert "&lt;b&gt;Layers" in shown[-1].data
    trex.notebook.set_wide_display(80)
    assert "80%" in shown[-1].data


def test_dtale_is_asked_with_the_classic_options(monkeypatch: pytest.MonkeyPatch, plan: trex.EnginePlan) -> None:
    dtale = pytest.importorskip("dtale", reason="dtale is absent: pip install dtale")
    asked: list[dict[str, Any]] = []

    def show(df: Any, **options: Any) -> str:
        asked.append(options)
        return "shown"

    monkeypatch.setattr(dtale, "show", show)
    trex.notebook.display_df_dtale(plan.df, nan_display="?", precision=2)
    assert asked == [{"host": "localhost", "nan_display": "?", "precision": 2}], "not for the whole network"


def test_diagrams_of_your_own(shown: list[Any]) -> None:
    drawn: list[str] = []
    one = trex.interactive.InteractiveDiagram(drawn.append, ["a", "b"], "Pick")
    one.choice_widget.value = "b"
    two = trex.interactive.InteractiveDiagram_2(
        {"x": lambda: drawn.append("X"), "y": lambda: drawn.append("Y")}, "Pick"
    )
    two.dropdown_state_eventhandler("y")
    assert drawn == ["a", "b", "X", "Y"]
    assert one.choice_widget.description == "Pick"


def test_the_report_is_data_that_a_cell_shows_and_save_writes(plan: trex.EnginePlan, tmp_path: Path) -> None:
    report = card.report_card(plan)
    assert report.command == "report" and report.section("layers").blocks and report.title in str(report)
    assert "GPU compute" in report._repr_html_()
    written = card.write_report(report, tmp_path / "x.md").read_text("utf-8")
    assert report.save(tmp_path / "y.md") == str(tmp_path / "y.md") and written == (tmp_path / "y.md").read_text(
        "utf-8"
    )
