"""What scripts and notebooks for TREx do, over every engine: the same calls as theirs, written anew.

Each test says what kind of source its calls come from.
"""

from __future__ import annotations

import inspect
import os
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

import trex
import trex.graphing
import trex.notebook
from tests.simulated_examples import load_simulated
from trex.graphing import PlanGraph, layer_type_formatter, render_dot, to_dot
from trex.plan.loading import find_plans


@pytest.fixture
def plan(address: str) -> trex.EnginePlan:
    return trex.load(address)


def test_the_three_files_of_an_article(address: str) -> None:
    """The vendor's article on exploring engines: graph, profile and metadata by name, the summary, the frame."""
    (files,) = find_plans(address)
    if files.graph is None or not files.graph.endswith(".json"):
        pytest.skip("no graph JSON")
    plan = trex.EnginePlan(files.graph, files.profile, files.profile_metadata)
    plan.summary()
    assert plan.name == Path(files.graph).name
    frame = plan.df
    print(frame["Name"])
    assert len(frame) == len(plan.layers) and list(frame["Name"]) == [layer.name for layer in plan.layers]


def test_the_slowest_layers_and_shares_of_types(plan: trex.EnginePlan) -> None:
    """The same article and forum answers: top layers, sums by type, counts of tactics."""
    top = plan.df.nlargest(3, "latency.pct_time")
    assert len(top) <= 3 and list(top[["Name", "latency.pct_time"]].columns) == ["Name", "latency.pct_time"]
    shares = trex.group_sum_attr(plan.df, grouping_attr="type", reduced_attr="latency.pct_time")
    assert shares["latency.pct_time"].sum() == pytest.approx(plan.df["latency.pct_time"].sum())
    convs = plan.get_layers_by_type("Convolution")
    counts = trex.group_count(convs, "tactic")
    assert counts["count"].sum() == len(convs)
    for kind, layers in plan.df.groupby("type"):
        assert len(layers) == (plan.df["type"] == kind).sum()


def test_bytes_of_tensors_by_hand(plan: trex.EnginePlan) -> None:
    """Scripts about memory: loops over layers and tensors that compute with shape, precision and sizes."""
    for layer in plan.layers:
        for tensor in [*layer.inputs, *layer.outputs]:
            elements = 1
            for dim in tensor.shape:
                elements *= dim or 0
            assert elements == (tensor.volume or 0) or None in tensor.shape or tensor.shape == []
            assert tensor.format.split(" ")[0].upper() == tensor.precision.upper()
            assert isinstance(tensor.size_bytes, int | type(None))
    biggest = max(plan.layers, key=lambda layer: layer.total_footprint_bytes or 0, default=None)
    assert biggest is None or plan.find(biggest.name) is not None


def test_reformats_between_precisions(plan: trex.EnginePlan) -> None:
    """Scripts that look for conversions around quantized layers: first input against first output, by row and layer."""
    by_layer = [
        (layer.inputs[0].format, layer.outputs[0].format)
        for layer in plan.layers
        if layer.type == "Reformat" and layer.inputs and layer.outputs
    ]
    by_row = []
    for _, row in plan.df[plan.df["type"] == "Reformat"].iterrows():
        inputs, outputs = trex.create_activations(row)
        if inputs and outputs:
            by_row.append((inputs[0].format, outputs[0].format))
    assert by_layer == by_row


def test_graphs_in_own_colors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Issues and notebooks that draw: a ready formatter, one of their own, highlighted layers, the file's path."""
    plan = load_simulated("resnet18-int8")

    def by_layout(layer: trex.Layer) -> dict[str, str]:
        color = "lightblue" if layer.outputs[0].format.startswith("Int8") else "white"
        return {"shape": "Mrecord", "style": "filled", "tooltip": layer.tooltip(), "fillcolor": color}

    names = plan.df.nlargest(2, "latency.avg_time")["Name"].to_list()
    for formatter in (layer_type_formatter, by_layout):
        graph = to_dot(plan, formatter, display_regions=True, expand_layer_details=True, highlight_layers=names)
        path = render_dot(graph, os.fspath(tmp_path / "engine"), "svg")
        assert Path(path).exists() and path in capsys.readouterr().out
    assert "lightblue" in graph.source


def test_edges_as_pairs_of_names(plan: trex.EnginePlan) -> None:
    """Scripts that hand the graph to another library: nodes by name, edges unpacked."""
    graph = PlanGraph(plan)
    edges = [(source.layer_name, target.layer_name, tensor.name) for source, target, tensor, _ in graph.edges_list]
    known = {node.layer.name for node in graph.layer_nodes} | {node.name for node in graph.memory_nodes}
    assert all(source in known and target in known for source, target, _ in edges)


def test_lint_and_pick_rows(plan: trex.EnginePlan) -> None:
    """Articles on quantization: linters, their tables shown or filtered by hazard and mitigation."""
    for linter in (trex.ConvLinter, trex.ReformatLinter, trex.SliceLinter, trex.QDQLinter):
        report = linter(plan).lint()
        for hazard in report["hazard"].unique():
            part = report[report["hazard"] == hazard]
            assert len(part) and set(part["name"]) <= set(plan.df["Name"])
        assert list(report.drop(columns=["help"]).columns[:5]) == ["name", "tactic", "subtype", "hazard", "mitigation"]


def test_two_engines_in_one_table() -> None:
    """Studies that compare builds: names, pairs of layers, speed-ups, types next to one another."""
    compare = pytest.importorskip("trex.compare_engines")
    plans = [load_simulated(name) for name in ("resnet18-int8", "transformer-fp16")]
    first, second = compare.get_plans_names(plans)
    pairs = compare.match_layers(*plans, exact_matching=True)
    merged = compare.aligned_merge_plans(*plans, pairs)
    assert {first, second, "speedup (2)"} <= set(merged.columns)
    for one, other in pairs:
        assert one is None or plans[0].layers[one].name
        assert other is None or plans[1].layers[other].name
    frames = [trex.group_mean_attr(plan.df, "precision", "latency.avg_time") for plan in plans]
    stacked = trex.stack_dataframes(frames, "precision", "latency.avg_time")
    assert all(len(values) == 2 for values in stacked.values())


def test_charts_without_showing_them() -> None:
    """Scripts that write charts to files: keyword arguments, colors by type or precision, the figure returned."""
    pytest.importorskip("plotly")
    from trex.plotting import plotly_bar2, plotly_hist, plotly_pie2, stacked_bars

    plan = load_simulated("resnet18-int8")
    bar = partial(plotly_bar2, plan.df, values_col="latency.pct_time", names_col="Name", do_show=False)
    for color, colors in (("type", trex.layer_colormap), ("precision", trex.precision_colormap)):
        figure = bar("Latency", color=color, colormap=colors, use_slider=False, show_axis_ticks=(False, True))
        assert figure.layout.title.text.startswith("Latency") and "<html>" in figure.to_html()
    plotly_hist(plan.df, "Latencies", "latency.pct_time", "%", "type", colormap=trex.layer_colormap, do_show=False)
    counts = trex.group_count(plan.df, "type")
    plotly_pie2("Types", [(counts, "Layers", "count", "type")], colormap=trex.layer_colormap, do_show=False)
    assert "empty_symbol" in inspect.signature(stacked_bars).parameters


def test_tables_for_other_programs(plan: trex.EnginePlan, tmp_path: Path) -> None:
    """Scripts that store: the cleaned frame as CSV and JSON, one of their own columns, a column that they drop."""
    frame = trex.clean_for_display(plan.df)
    frame.to_csv(tmp_path / "layers.csv")
    assert len(pd.read_csv(tmp_path / "layers.csv")) == len(plan.layers)
    plan.df["ms per MB"] = plan.df["latency.avg_time"] / (plan.df["total_footprint_bytes"] / 2**20)
    trex.drop_columns(plan.df, ["Metadata"])
    assert "ms per MB" in plan.df and "Metadata" not in plan.df
    assert trex.change_col_order(plan.df).columns[0] == "Name"
