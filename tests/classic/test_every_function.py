"""Every classic function over every engine: type, columns, dtypes, index, and keys of what comes back.

Written from the documented surface of TREx 0.2.1. Charts and linters have files of their own.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import trex
from trex.core.errors import TrexError
from trex.plan.loading import find_plans

# {column: kinds of dtype}. Records of tensors and texts are objects.
COLUMNS = {
    "Name": "O", "type": "O", "subtype": "O", "tactic": "O", "Inputs": "O", "Outputs": "O", "precision": "O",
    "output_precision": "O", "Metadata": "O", "latency.time": "f", "latency.avg_time": "f",
    "latency.median_time": "f", "latency.pct_time": "f", "total_io_size_bytes": "f", "weights_size": "f",
    "total_footprint_bytes": "f",
}  # fmt: skip
FIRST = ["Name", "type", "Inputs", "Outputs", "latency.avg_time", "latency.pct_time", "total_footprint_bytes", "tactic"]
ATTRIBUTES = {
    "Convolution": "groups out_maps stride kernel has_bias activation has_relu dilation operations n_operations",
    "PointWiseV2": "operations n_operations n_input_args",
    "PointWise": "operations n_operations n_input_args",
    "Reformat": "origin",
    "Pooling": "pooling_type window_size padding_mode stride",
    "Scale": "mode shift scale power activation ch_axis",
    "Shuffle": "first_transpose second_transpose reshape",
    "Resize": "mode scales scale",
    "Slice": "start stride size mode",
}
COSTS = "macs arithmetic_intensity compute_efficiency memory_efficiency M N K"


@pytest.fixture
def plan(address: str) -> trex.EnginePlan:
    return trex.load(address)


def test_the_frame(plan: trex.EnginePlan) -> None:
    frame = plan.df
    assert type(frame) is pd.DataFrame and frame.index.equals(pd.RangeIndex(len(plan.layers)))
    for name, kind in COLUMNS.items():
        assert frame[name].dtype.kind == kind, name
    for cells in (*frame["Inputs"], *frame["Outputs"]):
        assert type(cells) is list
        assert all({"Name", "Format/Datatype"} <= set(record) for record in cells)
    assert plan._df is frame and type(plan.name) is str and type(plan.bindings) is list
    assert frame["latency.avg_time"].sum(min_count=1) == pytest.approx(plan.total_runtime, nan_ok=True)


def test_layers_by_type(plan: trex.EnginePlan) -> None:
    for kind, names in ATTRIBUTES.items():
        listed = names.split() + (COSTS.split() if kind == "Convolution" else [])
        for table in (plan.get_layers_by_type(kind), trex.filter_by_layer(plan.df, kind)):
            assert type(table) is pd.DataFrame and set(table.index) <= set(plan.df.index)
            assert table is not plan.df
            if (table["type"] == kind).any():  # Myelin's convolutions have other keys
                assert {f"attr.{name}" for name in listed} <= set(table.columns), kind


def test_groups(plan: trex.EnginePlan) -> None:
    for group in ("type", "precision", "tactic"):
        counts = trex.group_count(plan.df, group)
        assert list(counts.columns) == [group, "count"] and counts["count"].sum() == len(plan.df)
        for reduce in (trex.group_sum_attr, trex.group_mean_attr):
            table = reduce(plan.df, group, "latency.pct_time")
            assert type(table) is pd.DataFrame and list(table.columns) == [group, "latency.pct_time"]
            assert table.index.equals(pd.RangeIndex(len(table))) and list(table[group]) == list(counts[group])
    stacked = trex.stack_dataframes([trex.group_count(plan.df, "type")] * 2, "type", "count")
    assert type(stacked) is dict and all(first == second for first, second in stacked.values())


def test_columns_in_front(plan: trex.EnginePlan) -> None:
    assert list(trex.change_col_order(plan.df).columns[: len(FIRST)]) == FIRST
    shown = trex.clean_for_display(plan.df)
    assert list(shown.columns[: len(FIRST)]) == FIRST and shown.index.equals(plan.df.index)
    assert all(isinstance(cell, str) for name in ("Inputs", "Outputs") for cell in shown[name])


def test_activations_of_rows(plan: trex.EnginePlan) -> None:
    for layer, (_, row) in zip(plan.layers, plan.df.iterrows(), strict=True):
        sides = trex.create_activations(row)
        assert type(sides) is tuple and [type(side) is list for side in sides] == [True, True]
        for side, tensors in zip(sides, (layer.inputs, layer.outputs), strict=True):
            assert [activation.name for activation in side] == [tensor.name for tensor in tensors]
            assert all(type(activation.shape) is list and type(activation.format) is str for activation in side)


def test_no_ops_fold(plan: trex.EnginePlan) -> None:
    folded = trex.fold_no_ops(plan.all_layers, plan.bindings)
    assert type(folded) is list and all(type(layer) is trex.Layer for layer in folded)
    assert len(folded) <= len(plan.all_layers)


def test_plans_compared_with_themselves(plan: trex.EnginePlan) -> None:
    compare = trex.compare_engines
    pairs = compare.match_layers(plan, plan, exact_matching=True)
    assert type(pairs) is list and pairs == [(index, index) for index in range(len(plan.layers))]
    merged = compare.aligned_merge_plans(plan, plan, matched_indices_pairs=pairs)
    assert list(merged.columns[:4]) == ["type", "avg_time (1)", "avg_time (2)", "speedup (2)"]
    assert list(merged.columns[-2:]) == compare.get_plans_names([plan, plan])
    assert len(merged) == len(pairs) and all(merged[name].dtype.kind == "f" for name in merged.columns[1:4])
    for frame in compare.aligned_layers(plan, plan, matched_indices_pairs=pairs):
        assert list(frame.columns[:2]) == ["id", "name"] and list(frame["id"]) == list(range(len(plan.layers)))
        assert list(frame["name"]) == list(plan.df["Name"])
    for layer in plan.layers:
        assert list(compare.get_io_dimensions(layer, True)) == ["inputs", "outputs"]
        assert type(compare.get_io_formats(layer)) is str
        assert [type(text) for text in compare.get_io_precisions(layer)] == [str, str]


def test_graphs(plan: trex.EnginePlan) -> None:
    graph = trex.PlanGraph(plan)
    assert len(graph.layer_nodes) == len(plan.layers)
    for (source, out), (target, port), tensor, generation in graph.edges_list:
        assert type(source) is type(target) is str and {type(out), type(port)} <= {int, type(None)}
        assert isinstance(tensor, trex.Activation) and type(generation) is int
    for name, _, generation, is_user in graph.memory_nodes:
        assert type(name) is str and type(generation) is int and type(is_user) is bool
    regions = trex.graphing.regions_factory(plan)
    assert type(regions) is list and all(isinstance(region, trex.Region) for region in regions)


def test_files_are_read_as_plain_data(address: str) -> None:
    (files,) = find_plans(address)
    if files.graph is None or files.graph.endswith((".log", ".txt")):
        pytest.skip("no graph JSON")
    try:
        layers, bindings = trex.import_graph_file(files.graph)
    except TrexError:
        pytest.skip("no graph JSON")
    assert type(layers) is type(bindings) is list and all(type(layer) is dict for layer in layers)
    names = [layer["Name"] for layer in layers]
    assert len(names) == len(set(names)) and all(type(name) is str for name in bindings)
    for path, read in ((files.profile, trex.read_profiling_file), (files.timing, trex.read_timing_file)):
        assert path is None or type(read(path)) is list
    for path in (files.profile_metadata, files.build_metadata, Path("no such file")):
        for read in (trex.get_device_properties, trex.get_performance_summary, trex.get_builder_config):
            assert type(read(path)) is dict


def test_what_is_shown_can_be_stored(plan: trex.EnginePlan) -> None:
    assert json.loads(trex.clean_for_display(plan.df).to_json(orient="records")) is not None
