"""The report card's overviews over every engine: keys, keywords, figures; also without rows or columns."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest

import trex
from tests.simulated_examples import load_simulated
from trex.classic.overviews import Overview

go = pytest.importorskip("plotly.graph_objects", reason="plotly is absent: pip install plotly")
pytest.importorskip("ipywidgets", reason="ipywidgets is absent: pip install ipywidgets")
card = trex.report_card

# Titles of charts in TREx's tutorial.
CONVOLUTIONS = (
    "Convolution Data Sizes<BR>(bar color indicates latency)",
    "Convolution Arithmetic Intensity<BR>(bar color indicates activations size)",
    "Convolution Arithmetic Intensity<BR>(bar color indicates latency)",
    "Convolution Memory Efficiency<BR>(bar color indicates latency)",
    "Convolution Compute Efficiency<BR>(bar color indicates latency)",
)
PERFORMANCE = {
    "Latency per layer (%)", "Latency per layer (ms)", "Layer latency distribution", "Precision per layer",
    "Output precision per layer", "Count per layer type", "Latency per layer type (ms)", "Latency per layer type (%)",
    "Precision per layer type", "Precision rollup",
}  # fmt: skip
MEMORY = ("Weights Sizes Per Layer", "Activations Sizes Per Layer", "Layer Activations Sizes Distribution")


def draws(overview: dict[str, object]) -> Iterator[tuple[str, object]]:
    for key, chart in overview.items():
        figure = chart(title="Another", do_show=False)
        assert type(figure) is go.Figure, key
        assert figure.data or figure.layout.annotations, key
        assert not figure.data or figure.layout.title.text.startswith("Another"), key
        yield key, figure


def test_every_key_draws_every_engine(address: str) -> None:
    plan = trex.load(address)
    convs = plan.get_layers_by_type("Convolution")
    keys = dict(draws(card.report_card_convolutions_overview(convs)))
    assert set(CONVOLUTIONS) <= set(keys) and len(keys) >= 13
    keys = dict(draws(card.report_card_memory_footprint(plan)))
    assert set(MEMORY) <= set(keys) and len(keys) >= 6
    assert set(dict(draws(card.report_card_perf_overview(plan)))) >= PERFORMANCE


def test_without_rows() -> None:
    nothing = load_simulated("resnet18-int8").df.iloc[:0]
    for figure in dict(draws(card.report_card_convolutions_overview(nothing))).values():
        assert not figure.data


@pytest.mark.parametrize("column", ["Name", "type", "precision", "Inputs", "latency.avg_time", "attr.kernel"])
def test_without_columns(column: str) -> None:
    convs = load_simulated("resnet18-int8").get_layers_by_type("Convolution")
    for table in (convs.drop(columns=column), convs[[column]], pd.DataFrame(index=convs.index)):
        assert dict(draws(card.report_card_convolutions_overview(table)))


def test_the_tutorials_charts_plot_its_columns() -> None:
    convs = load_simulated("resnet18-int8").get_layers_by_type("Convolution")
    overview = card.report_card_convolutions_overview(convs)
    (bars,) = overview[CONVOLUTIONS[0]](do_show=False).data
    assert list(bars.y) == list(convs["total_io_size_bytes"])
    assert list(bars.marker.color) == list(convs["latency.pct_time"])


@pytest.mark.parametrize("key", ["latency per layer (colour=FMAs)", "Latency per Layer<BR>(bar color indicates MACs)"])
def test_keys_of_another_spelling_are_found(key: str) -> None:
    overview = card.report_card_convolutions_overview(pd.DataFrame())
    assert overview[key] is overview["Latency per layer (color = FMAs)"]


def test_a_key_without_a_chart_names_similar_keys() -> None:
    overview = Overview({"Precision per layer": print})
    with pytest.raises(KeyError, match="did you mean Precision per layer"):
        _ = overview["Precisions per layer"]
    with pytest.raises(KeyError, match=r"list\(overview\)"):
        _ = overview["zebra"]
    assert list(overview) == ["Precision per layer"]
