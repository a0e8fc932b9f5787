"""trex.plotting, as notebooks of TREx call it."""

from __future__ import annotations

from typing import Any

import pytest

import trex
from tests.simulated_examples import SIMULATED
from trex.core.errors import TrexError
from trex.notebook import set_table_display_backend

pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
plotting = trex.plotting


@pytest.fixture
def plan() -> trex.EnginePlan:
    return trex.load(str(SIMULATED / "resnet18-int8"))


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been shown."""
    import plotly.basedatatypes

    found: list[Any] = []
    monkeypatch.setattr(plotly.basedatatypes.BaseFigure, "show", lambda self, *a, **k: found.append(self))
    return found


def test_bars_of_layers_as_the_tutorial_draws_them(plan: trex.EnginePlan, shown: list[Any]) -> None:
    figure = plotting.plotly_bar2(
        plan.df,
        "% Latency Budget Per Layer",
        "latency.pct_time",
        "Name",
        color="type",
        colormap=trex.layer_colormap,
        use_slider=True,
    )
    assert shown == [figure]
    assert sum(len(trace.y) for trace in figure.data) == len(plan.df)
    assert figure.layout.xaxis.rangeslider.visible and not figure.layout.showlegend


def test_bars_of_groups_share_the_place_of_their_name(plan: trex.EnginePlan) -> None:
    counts = trex.group_count(plan.df, "type")
    figure = plotting.plotly_bar2(counts, "Count", "count", "type", orientation="h", color="type", do_show=False)
    assert {trace.name: trace.x[0] for trace in figure.data} == {"Convolution": 21, "Reformat": 12, "Pooling": 2}


def test_rows_of_a_frame_that_a_merge_left_without_a_layer(plan: trex.EnginePlan) -> None:
    frame = plan.df.assign(**{"layer.index": plan.df["layer.index"].astype(float).where(plan.df.index > 0)})
    figure = plotting.plotly_bar2(frame, "Latency", "latency.avg_time", "Name", do_show=False)
    assert sum(len(trace.y) for trace in figure.data) == len(frame)


def test_numbers_color_on_a_scale(plan: trex.EnginePlan) -> None:
    convs = plan.get_layers_by_type("Convolution")
    figure = plotting.plotly_bar2(convs, "t", "latency.avg_time", "Name", color="attr.macs", do_show=False)
    assert list(figure.data[0].marker.color) == convs["attr.macs"].tolist()


@pytest.mark.parametrize("color", ["latency.avg_time", "attr.compute_efficiency"])
def test_what_is_unknown_is_gray_on_the_scale(plan: trex.EnginePlan, color: str) -> None:
    convs = plan.get_layers_by_type("Convolution")
    convs.loc[convs.index[1:3], color] = float("nan")
    some = plotting.plotly_bar2(convs, "t", "attr.macs", "Name", color=color, do_show=False).data[0].marker
    assert [each == trex.UNKNOWN_KEY_COLOR for each in some.color[:4]] == [False, True, True, False]
    assert some.showscale
    convs[color] = float("nan")
    none = plotting.plotly_bar2(convs, "t", "attr.macs", "Name", color=color, do_show=False).data[0].marker
    assert none.color == trex.UNKNOWN_KEY_COLOR and not none.showscale


def test_a_figure_of_nothing_known_says_so(plan: trex.EnginePlan) -> None:
    untimed = trex.EnginePlan([layer.raw for layer in plan.layers]).df
    bars = plotting.plotly_bar2(untimed, "t", "latency.avg_time", "Name", color="type", do_show=False)
    assert "no value of latency.avg_time is known: there is no profile" in bars.layout.title.text
    numbers = plotting.plotly_hist(untimed, "t", "latency.pct_time", "latency", "type", do_show=False)
    assert "no value of latency.pct_time is known" in numbers.layout.title.text
    known = plotting.plotly_bar2(untimed, "t", "total_io_size_bytes", "Name", do_show=False)
    assert known.layout.title.text == "t"


def test_several_tables_are_chosen_from_a_menu(plan: trex.EnginePlan) -> None:
    frames = {"ours": plan.df, "first": plan.df.head(3)}
    figure = plotting.plotly_bar2(frames, "t", "latency.avg_time", "Name", do_show=False)
    (menu,) = figure.layout.updatemenus
    assert [button.label for button in menu.buttons] == ["ours", "first"]
    assert [trace.visible for trace in figure.data] == [True, False]


def test_histograms_bin_numbers_and_count_words(plan: trex.EnginePlan) -> None:
    numbers = plotting.plotly_hist(plan.df, "t", "latency.avg_time", "latency", "type", do_show=False)
    assert {trace.type for trace in numbers.data} == {"histogram"}
    words = plotting.plotly_hist(plan.df, "t", "type", "type", "precision", trex.precision_colormap, do_show=False)
    assert sum(sum(trace.y) for trace in words.data) == len(plan.df)


def test_pies_side_by_side(plan: trex.EnginePlan) -> None:
    by_type = trex.group_sum_attr(plan.df, "type", "latency.pct_time")
    by_precision = trex.group_count(plan.df, "precision")
    one = plotting.plotly_pie(by_type, "t", "latency.pct_time", "type", trex.layer_colormap, do_show=False)
    assert len(one.data) == 1
    charts = [(by_type, "time", "latency.pct_time", "type"), (by_precision, "layers", "count", "precision")]
    two = plotting.plotly_pie2("t", charts, max_cols=1, colormap=trex.precision_colormap, do_show=False)
    assert [trace.name for trace in two.data] == ["time", "layers"]
    assert two.data[0].domain.y[0] > two.data[1].domain.y[0]


def test_tables_stack_by_name(plan: trex.EnginePlan, shown: list[Any]) -> None:
    other = trex.load(str(SIMULATED / "resnet18-int8-residual"))
    frames = [trex.group_sum_attr(each.df, "type", "latency.avg_time") for each in (plan, other)]
    table = plotting.stacked_tabular_df(["a", "b"], frames, "type", "latency.avg_time", empty_symbol="-")
    assert list(table.columns) == ["type", "a", "b"] and list(table.index) == list(table["type"])
    assert table.loc["ConvActPool", "a"] == "-" and table.loc["ConvActPool", "b"] > 0
    tables: list[Any] = []
    set_table_display_backend(lambda df: tables.append(df))
    try:
        figure = plotting.stacked_bars("t", ["a", "b"], frames, "type", "latency.avg_time")
    finally:
        trex.jupyter.show.Tables.backend = None
    assert len(tables) == 1 and shown == [figure] and figure.layout.barmode == "stack"
    totals = {trace.name: sum(trace.y) for trace in figure.data}
    assert totals["Reformat"] == pytest.approx(sum(frame.set_index("type").loc["Reformat"].item() for frame in frames))


def test_layouts_by_themselves() -> None:
    import plotly.graph_objects as go

    made = plotting.create_layout("t", (300, None), "x", "y", "h")
    assert made.width == 300 and made.yaxis.autorange == "reversed"
    figure = go.Figure(go.Bar(y=[1]))
    assert plotting.trex_base_layout(figure) is figure and figure.layout.xaxis.gridcolor == trex.GRID_COLOR


def test_a_column_that_is_not_there_is_told(plan: trex.EnginePlan) -> None:
    with pytest.raises(TrexError, match=r"no column 'latency\.average'"):
        plotting.plotly_bar2(plan.df, "t", "latency.average", "Name", do_show=False)


def test_names_of_layers_are_no_markup() -> None:
    plan = trex.EnginePlan([{"Name": "<b onclick=x>", "LayerType": "Convolution"}])
    figure = plotting.plotly_bar2(plan.df, "<i>t</i>", "layer.index", "Name", do_show=False)
    assert "<b onclick" not in figure.to_json() and "<i>" not in figure.to_json()
