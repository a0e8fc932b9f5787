"""What the original gets wrong, one test per trap: each is known from a minimal input on which it was seen."""

from __future__ import annotations

import ast
import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import trex
from tests.dot_parser import parse_dot, shown
from tests.raw_records import (
    LINEAR,
    chain,
    codes,
    convolution,
    graph_file,
    layer,
    plan_of,
    sizes,
    tensor,
    times,
    written,
)
from trex.cli.main import main
from trex.core.errors import TrexError
from trex.export.svg import render_svg
from trex.graph.build import build_graph
from trex.graph.plan_graph import LayerNode
from trex.graphing import OnnxGraph, layer_type_formatter, to_dot
from trex.ingest.spelling.tensor_formats import parse_format
from trex.views.diagram.scene import build_scene

Check = Callable[[Path], None]
TRAPS: dict[str, Check] = {}


def trap(name: str) -> Callable[[Check], Check]:
    """Registers a test under the trap's name, which becomes its id."""

    def register(check: Check) -> Check:
        if name in TRAPS:
            raise ValueError(f"two tests for the trap {name!r}")
        TRAPS[name] = check
        return check

    return register


def average_ms(plan: trex.EnginePlan) -> list[tuple[str, float]]:
    return list(zip(plan.df["Name"], plan.df["latency.avg_time"], strict=True))


def column(plan: trex.EnginePlan, name: str) -> Any:
    return plan.df.set_index("Name")[name]


# ----------------------------------------------------------------------------------------- types and sizes


@trap("dyn_dim_minus_one")
def dynamic_dimensions_are_unknown(folder: Path) -> None:
    x, y = tensor("x", [-1, 3, 32, 32]), tensor("y", [-1, 8, 32, 32])
    plan = plan_of(folder, [layer("a", inputs=[x], outputs=[y])])
    assert sizes(plan) == {"x": None, "y": None}
    assert math.isnan(plan.df["total_io_size_bytes"][0])
    assert math.isnan(plan.total_act_size)
    assert plan.unknown_sizes["activations"] == 2
    assert "dynamic-dimensions" in codes(plan)


@trap("bf16_short")
def bf16_in_a_word(folder: Path) -> None:
    plan = plan_of(folder, [layer("a", "kgen", [tensor("x", [4], "BFloat16")], [tensor("y", [4], "BFloat16")])])
    assert (
        plan.working_layers[0].inputs[0].precision
        == plan.df["output_precision"][0]
        == plan.df["precision"][0]
        == "BF16"
    )
    assert sizes(plan) == {"x": 8, "y": 8}


@trap("bf16_long")
def bf16_in_a_sentence(folder: Path) -> None:
    sentence = "Row major linear BFloat16 format"
    plan = plan_of(folder, [layer("a", inputs=[tensor("x", [4], sentence)], outputs=[tensor("y", [4], sentence)])])
    assert plan.df["output_precision"][0] == "BF16"
    assert sizes(plan) == {"x": 8, "y": 8}


@trap("bool_size")
def booleans_take_a_byte(folder: Path) -> None:
    plan = plan_of(folder, [layer("a", inputs=[tensor("x", [4], "Bool")], outputs=[tensor("y", [4], "Bool")])])
    assert plan.df["output_precision"][0] == "BOOL"
    assert sizes(plan) == {"x": 4, "y": 4}


@trap("int4_odd")
def nibbles_are_packed_and_rounded_up(folder: Path) -> None:
    plan = plan_of(folder, [layer("a", inputs=[tensor("x", [3], "Int4")], outputs=[tensor("y", [4], "Int4")])])
    assert sizes(plan) == {"x": 2, "y": 2}
    assert plan.total_act_size == 4


@trap("unknown_suffix")
def a_suffix_does_not_hide_the_type(folder: Path) -> None:
    for suffix in (" (kLINEAR)", " (kFUTURE_LAYOUT)", "."):
        data_type, layout = parse_format(LINEAR + suffix)
        assert (data_type.label, layout.label) == ("FP16", "NCHW"), suffix
    x, y = tensor("x", [4], LINEAR + " (kFUTURE)"), tensor("y", [4], "Sideways FP16 format")
    plan = plan_of(folder, [layer("a", inputs=[x], outputs=[y])])
    assert sizes(plan) == {"x": 8, "y": 8}
    unreadable = plan_of(folder, [layer("a", inputs=[tensor("x", [4], "Unknown format")], outputs=["y"])])
    assert sizes(unreadable)["x"] is None
    assert "unknown-data-type" in codes(unreadable)


@trap("vector_padding")
def channels_are_padded(folder: Path) -> None:
    four = "Four wide channel vectorized row major Int8 format"
    plan = plan_of(folder, [layer("a", inputs=[tensor("x", [1, 3, 224, 224], four)], outputs=["y"])])
    assert sizes(plan)["x"] == 4 * 224 * 224


@trap("gemm_weights_are_activations")
def what_nothing_writes_is_stored(folder: Path) -> None:
    x, y = tensor("x", [1024, 32], "Half"), tensor("y", [1024, 32], "Half")
    weights = tensor("__mye12_dconst", [64, 64], "Half")
    plan = plan_of(folder, [layer("g", "gemm", [x, weights], [y])])
    assert plan.total_weights_size == 4096 * 2
    assert plan.total_act_size == 2 * 64 * 1024
    assert [record["Name"] for record in plan.df["Inputs"][0]] == ["x"]
    assert plan.df["weights_size"][0] == 8192


@trap("bias_not_counted")
def biases_count(folder: Path) -> None:
    stored = {"Weights": {"Type": "Half", "Count": 4096}, "Bias": {"Type": "Half", "Count": 64}}
    plan = plan_of(folder, [convolution("c", "x", "y", **stored)])
    assert plan.total_weights_size == plan.df["weights_size"][0] == 8192 + 128


@trap("weights_type_unknown")
def weights_of_any_type_count(folder: Path) -> None:
    plan = plan_of(folder, [convolution("c", "x", "y", Weights={"Type": "BFloat16", "Count": 4096})])
    assert plan.df["weights_size"][0] == 8192
    strange = plan_of(folder, [convolution("c", "x", "y", Weights={"Type": "Posit9", "Count": 4096})])
    assert math.isnan(strange.df["weights_size"][0])
    assert strange.unknown_sizes["weights"] == 1


@trap("activations_counted_twice")
def activations_count_once(folder: Path) -> None:
    x, t, y = (tensor(name, [1, 64, 8, 8]) for name in ("x", "t", "y"))
    plan = plan_of(folder, [layer("a", inputs=[x], outputs=[t]), layer("b", inputs=[t], outputs=[y])])
    assert plan.total_act_size == 3 * 8192


@trap("precision_is_first_input")
def a_layer_computes_in_its_data_type(folder: Path) -> None:
    indices, table = tensor("x", [1, 16], "Int64"), tensor("t", [100, 8], "Half")
    gather = layer("g", "Gather", [indices, table], [tensor("y", [1, 16, 8], "Half")], ParameterType="Gather")
    plan = plan_of(folder, [gather], ("x", "t", "y"))
    assert plan.df["precision"][0] == "FP16"


@trap("precision_none_lost")
def sums_over_precisions_lose_nothing(folder: Path) -> None:
    layers = [layer("known", outputs=["t"], inputs=["x"]), layer("call", "shape_call"), *chain("odd")]
    layers[2]["Inputs"] = [tensor("t", [4], "N/A")]
    layers[2]["Outputs"] = [tensor("y", [4], "N/A")]
    plan = plan_of(folder, layers, profile=times(("known", 2.0), ("call", 3.0), ("odd", 5.0)))
    shares = trex.group_sum_attr(plan.df, "precision", "latency.pct_time")
    assert shares["latency.pct_time"].sum() == pytest.approx(100)
    assert set(plan.df["precision"]) == {"FP16", "Unknown"}


# ------------------------------------------------------------------------------------------ names and times


@trap("dup_name_collision")
def a_repeated_name_is_kept_beside_its_own_suffix(folder: Path) -> None:
    plan = plan_of(folder, chain("a", "a", "a_2"), profile=times(("a", 1.0), ("a", 2.0), ("a_2", 4.0)))
    assert average_ms(plan) == [("a", 1.0), ("a", 2.0), ("a_2", 4.0)]


@trap("dup_name_partial_profile")
def occurrences_pair_up(folder: Path) -> None:
    plan = plan_of(folder, chain("A", "A", "B"), profile=times(("A", 1.0), ("A", 2.0)))
    assert list(plan.df["latency.avg_time"][:2]) == [1.0, 2.0]
    assert math.isnan(plan.df["latency.avg_time"][2])
    assert plan.total_runtime == 3.0
    assert "layers-not-profiled" in codes(plan)


@trap("profile_other_order")
def order_does_not_matter(folder: Path) -> None:
    plan = plan_of(folder, chain("slow", "fast"), profile=times(("fast", 1.0), ("slow", 9.0)))
    assert average_ms(plan) == [("slow", 9.0), ("fast", 1.0)]


@trap("profile_other_engine")
def another_engines_profile_is_refused(folder: Path) -> None:
    with pytest.raises(TrexError, match="another engine") as caught:
        plan_of(folder, chain("a", "b"), profile=times(("p", 5.0), ("q", 7.0)))
    assert caught.value.hint
    assert "m.profile.json" in caught.value.where


@trap("missing_profile_is_zero")
def not_measured_is_not_zero(folder: Path) -> None:
    plan = plan_of(folder, chain("a", "b", "c"), profile=times(("a", 5.0), ("c", 1.0)))
    row = column(plan, "latency.avg_time")
    assert (row["a"], row["c"]) == (5.0, 1.0)
    assert math.isnan(row["b"])
    assert column(plan, "total_io_size_bytes").notna().all()
    assert (column(plan, "tactic") == "TensorRT").all()


@trap("sep_in_name_not_in_profile")
def separators_meet_printable_names(folder: Path) -> None:
    for spelling in ("a\x1eb", "a+b", "a\x1fb"):
        profile = times((spelling, 5.0), ("z", 1.0))
        plan = plan_of(folder, chain("a\x1eb", "z", kind="kgen"), profile=profile)
        assert average_ms(plan) == [("a+b", 5.0), ("z", 1.0)]


@trap("profile_extra_key")
def keys_may_be_added(folder: Path) -> None:
    plan = plan_of(folder, chain("a", "b"), profile=times(("a", 5.0), ("b", 1.0), p99Ms=5.5, iterations=3))
    assert average_ms(plan) == [("a", 5.0), ("b", 1.0)]
    assert plan.times[0] is not None
    assert plan.times[0].extra == {"p99Ms": 5.5, "iterations": 3}


@trap("no_bindings")
def bindings_may_be_missing(folder: Path) -> None:
    for names in (None, ()):
        plan = plan_of(folder, chain("a", "b"), names)
        inputs, outputs = plan.binding_tensors()
        assert [t.name for t in inputs] == ["x"]
        assert [t.name for t in outputs] == ["y"]
        assert "bindings-inferred" in codes(plan)


@trap("profile_ten")
def ten_is_not_one_followed_by_a_zero(folder: Path) -> None:
    marks = ["", *(f" [profile {number}]" for number in range(1, 13))]
    layers = [
        layer(f"a{mark}", "CaskConvolution", [tensor(f"x{mark}")], [tensor(f"y{mark}")], ParameterType="Convolution")
        for mark in marks
    ]
    names = [f"{name}{mark}" for mark in marks for name in ("x", "y")]
    plan = plan_of(folder, layers, names)
    assert [item.name for item in plan.engine.layers] == ["a"]
    assert plan.whole_engine.profiles == tuple(range(13))
    eleventh = plan_of(folder, layers, names, profile_id=11)
    assert [item.index for item in eleventh.engine.layers] == [11]
    assert eleventh.bindings == ["x", "y"]
    with pytest.raises(TrexError, match="no optimization profile 13"):
        plan_of(folder, layers, names, profile_id=13)


@trap("signal_wait")
def signals_and_waits_do_no_work(folder: Path) -> None:
    layers = [layer("s", "signal"), layer("w", "wait"), layer("k", "kgen", ["x"], ["y"])]
    plan = plan_of(folder, layers)
    assert list(plan.df["Name"]) == ["k"]
    assert [item.role.value for item in plan.engine.layers] == ["sync", "sync", "kernel"]


@trap("empty_layers")
def no_layers_is_said(folder: Path) -> None:
    path = graph_file(folder, [])
    with pytest.raises(TrexError, match="no engine layers") as caught:
        trex.EnginePlan(path)
    assert str(path) in caught.value.where
    assert "--exportLayerInfo" in caught.value.hint


@trap("stripped_weights")
def weights_that_were_stripped_are_unknown(folder: Path) -> None:
    stripped = {"Weights": {"Type": "Half", "Count": 0}}
    plan = plan_of(folder, [convolution("a", "x", "t1", **stripped), convolution("b", "t1", "y")])
    assert plan.unknown_sizes["weights"] == 1
    assert math.isnan(column(plan, "weights_size")["a"]) and column(plan, "weights_size")["b"] == 1152
    assert "unreadable-weights" in codes(plan)
    fed = layer("c", "CaskConvolution", ["x", "w"], ["y"], Kernel=[3, 3], **stripped)  # an input brings the weights
    assert "unreadable-weights" not in codes(plan_of(folder, [fed], ("x", "w", "y")))


@trap("times_of_another_profile")
def times_of_one_profile_are_not_those_of_another(folder: Path) -> None:
    layers = [
        convolution(f"{name}{mark}", f"{source}{mark}", f"{output}{mark}")
        for mark in ("", " [profile 1]")
        for name, source, output in (("a", "x", "t1"), ("b", "t1", "y"))
    ]
    names = [f"{name}{mark}" for mark in ("", " [profile 1]") for name in ("x", "y")]
    rows = times(("a [profile 1]", 1.0), ("b [profile 1]", 2.0))
    first = plan_of(folder, layers, names, rows, profile_id=0)
    assert first.df["latency.avg_time"].isna().all()
    assert "times-of-another-profile" in codes(first)
    for second in (plan_of(folder, layers, names, rows), plan_of(folder, layers, names, rows, profile_id=1)):
        assert [ms for _, ms in average_ms(second)] == [1.0, 2.0] and len(second.df) == 2


@trap("streams_overlap")
def layers_of_several_streams_may_exceed_gpu_compute(folder: Path) -> None:
    layers = [
        layer("a", "kgen", ["x"], ["t1"], StreamId=0),
        layer("b", "kgen", ["x"], ["t2"], StreamId=1),
        layer("c", "kgen", ["t1", "t2"], ["y"], StreamId=0),
    ]
    graph_file(folder, layers)
    written(folder / "m.profile.json", times(("a", 1.0), ("b", 1.0), ("c", 0.1)))
    rows = [
        {"startComputeMs": 2.0 * row, "endComputeMs": 2.0 * row + 1.15, "computeMs": 1.15, "latencyMs": 1.15}
        for row in range(20)
    ]
    written(folder / "m.timing.json", rows)
    plan = trex.load(folder)
    assert not {note.severity for note in plan.notes} & {"problem", "warning"}
    assert plan.df["latency.pct_time"].sum() == pytest.approx(100.0)
    result = trex.lint_engine(plan)
    assert (result.savings_ms or 0.0) <= 1.15
    assert not any(finding.code == "MEAS004" for finding in result.findings)


@trap("refit_options")
def what_a_log_says_of_refit_is_kept(folder: Path) -> None:
    written(
        folder / "m.log",
        b"""&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=m.onnx --refit --stripWeights --dumpRefit
[01/02/2026-03:04:05] [I] === Build Options ===
[01/02/2026-03:04:05] [I] Refit: Enabled
[01/02/2026-03:04:05] [I] Strip weights: Enabled
[01/02/2026-03:04:05] [I] === Reporting Options ===
[01/02/2026-03:04:05] [I] Dump refittable layers:Enabled
[01/02/2026-03:04:05] [I] Dump output: Disabled
""",
    )
    graph_file(folder, chain("a", "b"))
    metadata = trex.load(folder).build_metadata
    assert metadata.build_options["Refit"] == metadata.build_options["Strip weights"] == "Enabled"


# ------------------------------------------------------------------------------------- wiring and the frame


@trap("noop_with_parameter_type")
def views_are_folded_whatever_their_parameters(folder: Path) -> None:
    view = layer("v", "NoOp", ["t"], ["u"], ParameterType="Shuffle")
    plan = plan_of(folder, [layer("a", inputs=["x"], outputs=["t"]), view, layer("b", inputs=["u"], outputs=["y"])])
    assert list(plan.df["Name"]) == ["a", "b"]
    assert len(plan.engine.layers) == 3


BINDINGS_IN_ORDER = """
import sys, trex
plan = trex.EnginePlan(sys.argv[1])
inputs, outputs = plan.binding_tensors()
print("".join(t.name for t in inputs), "".join(t.name for t in outputs))
"""


def hash_seeds(code: str, *arguments: str) -> set[str]:
    """What the code prints under several seeds of Python's string hashes."""
    printed = set()
    for seed in ("1", "2", "3"):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(trex.__file__).parent.parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        printed.add(done.stdout.strip())
    return printed


@trap("bindings_order")
def bindings_keep_the_files_order(folder: Path) -> None:
    names = "hgfedcba"
    layers = [layer("all", inputs=list(names), outputs=["z", "y"])]
    graph = graph_file(folder, layers, [*names, "y", "z"])
    assert hash_seeds(BINDINGS_IN_ORDER, str(graph)) == {"hgfedcba yz"}


@trap("noop_binding_steals_output")
def a_view_onto_an_output_keeps_other_edges(folder: Path) -> None:
    layers = [
        layer("conv", inputs=["x"], outputs=["t"]),
        layer("view", "NoOp", ["t"], ["y"]),
        layer("relu", inputs=["t"], outputs=["z"]),
    ]
    plan = plan_of(folder, layers, ("x", "y", "z"))
    edges = {
        (writer.name, reader.name)
        for writer in plan.working_layers
        for reader in plan.working_layers
        for written in writer.outputs
        for read in reader.inputs
        if written.name == read.name
    }
    assert ("conv", "relu") in edges
    graph = build_graph(plan)
    name_of = {node.id: node.layer.name if isinstance(node, LayerNode) else node.name for node in graph.nodes}
    wires = {(name_of[edge.source], name_of[edge.target]) for edge in graph.edges}
    assert {("x", "conv"), ("conv", "relu"), ("relu", "z")} <= wires
    assert ("conv", "y") in wires or {("conv", "view"), ("view", "y")} <= wires


@trap("noop_fold_not_in_df")
def the_frame_agrees_with_the_layers(folder: Path) -> None:
    layers = [
        layer("a", inputs=["x"], outputs=["t"]),
        layer("n", "NoOp", ["t"], ["u"]),
        layer("b", inputs=["u"], outputs=["y"]),
    ]
    plan = plan_of(folder, layers)
    assert [t.name for t in plan.working_layers[1].inputs] == ["t"]
    assert [record["Name"] for record in plan.df["Inputs"][1]] == ["t"]
    assert [record["Name"] for record in plan.working_layers[1].raw["Inputs"]] == ["t"]


@trap("reformat_without_origin")
def a_reformat_needs_no_origin(folder: Path) -> None:
    plan = plan_of(folder, [layer("r", "Reformat", ["x"], ["y"], ParameterType="Reformat")])
    svg = render_svg(build_scene(build_graph(plan), plan))
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    dot = parse_dot(to_dot(plan, layer_type_formatter).source)
    assert "origin not reported" in dot.nodes["n0"]["label"]
    assert list(plan.get_layers_by_type("Reformat")["Name"]) == ["r"]


@trap("html_in_name")
def names_are_no_markup(folder: Path) -> None:
    hostile = "<b>&</b> ]]> \"q\" 'p' </text><script>alert(1)</script> --> \x1e\x00\ufffe"
    plan = plan_of(folder, chain(hostile, "a<b&c"), profile=times((hostile, 1.0), ("a<b&c", 2.0)))
    root = ElementTree.fromstring(render_svg(build_scene(build_graph(plan), plan)))
    assert not [element for element in root.iter() if element.tag.rpartition("}")[2] == "script"]
    text = " ".join(root.itertext())
    assert "a<b&c" in text
    assert "<script>alert(1)</script>" in text
    dot = parse_dot(to_dot(plan, layer_type_formatter).source)
    assert "<script>alert(1)</script>" in dot.nodes["n0"]["tooltip"]
    assert "a<b&c" in shown(dot.nodes["n1"]["tooltip"])


@trap("myelin_color")
def myelins_kernels_have_colors(folder: Path) -> None:
    kinds = ("gemm", "kgen", "fusion", "correlation")
    colors = [trex.layer_colormap[kind] for kind in kinds]
    assert len(set(colors)) == len(kinds)
    assert trex.UNKNOWN_KEY_COLOR not in colors
    assert {"signal", "wait", "shape_call"} <= set(trex.layer_colormap)


@trap("myelin_type")
def fused_operations_are_told(folder: Path) -> None:
    metadata = "[ONNX Layer: /ln/Add]\x1f[ONNX Layer: /ln/Mul]"
    plan = plan_of(folder, [layer("__myl_AddMul_myl0_0", "kgen", ["x"], ["y"], Metadata=metadata)])
    assert plan.df["type"][0] == "kgen"
    assert plan.df["layer.origins"][0] == ("/ln/Add", "/ln/Mul")
    assert plan.working_layers[0].name_parts.tokens == ("Add", "Mul")
    assert plan.df["layer.module"][0] == "/ln"


# ------------------------------------------------------------------------------------- costs and attributes


@trap("conv3d")
def convolutions_have_any_rank(folder: Path) -> None:
    for kernel, dims in (([3], [2, 8, 10]), ([3, 3, 3], [1, 8, 4, 5, 6])):
        window = math.prod(kernel)
        record = convolution(
            "c",
            tensor("x", dims),
            tensor("y", dims),
            Kernel=kernel,
            Stride=[1] * len(kernel),
            Dilation=[1] * len(kernel),
            Weights={"Type": "Half", "Count": 64 * window},
        )
        row = plan_of(folder, [record]).get_layers_by_type("Convolution").iloc[0]
        assert row["attr.kernel"] == tuple(kernel)
        assert row["attr.macs"] == math.prod(dims) * 8 * window


@trap("depthwise_k")
def groups_divide_k(folder: Path) -> None:
    x, y = tensor("x", [1, 64, 8, 8]), tensor("y", [1, 64, 8, 8])
    record = convolution("c", x, y, Groups=64, OutMaps=64, Weights={"Type": "Half", "Count": 576})
    row = plan_of(folder, [record]).get_layers_by_type("Convolution").iloc[0]
    assert row["attr.K"] == 9
    assert row["attr.macs"] == 64 * 64 * 9 == row["attr.M"] * row["attr.N"] * row["attr.K"]


@trap("ai_uses_activation_size_for_weights")
def weights_count_in_their_own_type(folder: Path) -> None:
    x, y = tensor("x", [1, 64, 8, 8]), tensor("y", [1, 64, 8, 8])
    stored = {"Kernel": [1, 1], "OutMaps": 64, "Weights": {"Type": "Int8", "Count": 4096}}
    row = plan_of(folder, [convolution("c", x, y, **stored)]).get_layers_by_type("Convolution").iloc[0]
    assert row["attr.macs"] == 262144
    assert row["attr.arithmetic_intensity"] == pytest.approx(262144 / (2 * 8192 + 4096))


STACKED_IN_ORDER = """
import pandas, trex
frames = [pandas.DataFrame({"Name": list(names), "ms": 1.0}) for names in ("fbdca", "ade")]
print("".join(trex.stack_dataframes(frames, "Name", "ms")), "".join(trex.stack_dicts([{"b": 1}, {"a": 2, "b": 3}])))
"""


@trap("stack_order")
def stacked_rows_keep_their_order(folder: Path) -> None:
    assert hash_seeds(STACKED_IN_ORDER) == {"fbdcae ba"}


@trap("onnx_export_attribute")
def weights_keep_type_and_count(folder: Path) -> None:
    stored = {"Type": "Half", "Count": 576}
    plan = plan_of(folder, [convolution("c", "x", "y", Weights=stored)])
    assert plan.df["Weights"][0] == stored
    from trex.export.document import render_document
    from trex.views.layers import layers_document

    document = json.loads(render_document(layers_document(plan.df, plan), "json"))
    (record,) = document["sections"]["layers"]["tables"]["layers"]["rows"]
    assert record["Weights"] == stored
    pytest.importorskip("onnx")
    (node,) = OnnxGraph(plan).onnx_nodes
    assert [each.s.decode() for each in node.attribute if each.name == "Weights"] == ["Half ×576"]


# ---------------------------------------------------------------------------------------- shells and errors


@trap("cli_summary_mean")
def tactics_are_summed(folder: Path) -> None:
    layers = chain("a", "b", "c")
    for record, tactic in zip(layers, ("t1", "t1", "t2"), strict=True):
        record["TacticName"] = tactic
    graph = graph_file(folder, layers)
    written(folder / "m.profile.json", times(("a", 1.0), ("b", 2.0), ("c", 7.0)))
    from trex.views.summary import tactics_table

    table = tactics_table(trex.load(graph))
    assert [(row[0], row[1], pytest.approx(row[4])) for row in table.rows] == [("t1", 2, 30.0), ("t2", 1, 70.0)]


@pytest.mark.parametrize("key", ["count", "latency", "id"])
def test_the_commands_table_of_tactics_sums_to_all_of_the_time(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layers = chain("a", "b", "c")
    for record, tactic in zip(layers, ("t1", "t1", "t2"), strict=True):
        record["TacticName"] = tactic
    graph = graph_file(tmp_path, layers)
    written(tmp_path / "m.profile.json", times(("a", 1.0), ("b", 2.0), ("c", 7.0)))
    assert main(["summary", str(graph), "--group-tactics", "--sort-key", key, "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)["sections"]["tactics"]["tables"]
    shares = {row["tactic"]: row["time_pct"] for row in tables["tactics"]["rows"]}
    assert shares == {"t1": pytest.approx(30.0), "t2": pytest.approx(70.0)}


VERSION = re.compile(r"[0-9]+(\.[0-9]+)*$")


@trap("trt_version_text_compare")
def versions_are_not_compared_as_text(folder: Path) -> None:
    ordered = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    offences = []
    package = Path(trex.__file__).parent
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare) and any(isinstance(operation, ordered) for operation in node.ops):
                sides = [node.left, *node.comparators]
                texts = [side for side in sides if isinstance(side, ast.Constant) and VERSION.match(str(side.value))]
                texts = [side for side in texts if isinstance(side.value, str)]
                named = any("version" in ast.unparse(side) and isinstance(side, ast.Attribute) for side in sides)
                if texts or named:
                    offences.append(f"{file.relative_to(package)}:{node.lineno}: {ast.unparse(node)}")
    assert offences == []


@trap("bad_json_message")
def bad_json_has_an_address(folder: Path) -> None:
    path = written(folder / "bad.graph.json", b"this is no engine\nand no JSON either")
    for open_it in (trex.EnginePlan, trex.load, trex.read_graph_file):
        with pytest.raises(TrexError) as caught:
            open_it(path)
        message = str(caught.value)
        assert "bad.graph.json" in message
        assert "TextIOWrapper" not in message
        assert len(caught.value.excerpt) <= 200
        assert caught.value.hint


# Traps of linters, comparisons and notebooks are tested beside what they are about.
ELSEWHERE = {
    "lint_overwrites": "public_api/test_lint.py::test_a_layer_with_two_hazards_has_two_rows",
    "lint_tactic_regex": "public_api/test_lint.py::test_tensor_cores_are_known_by_more_than_four_words",
    "lint_half_vs_fp16": "public_api/test_lint.py::test_two_spellings_of_a_type_are_one",
    "lint_int8_mitigation": "public_api/test_lint.py::test_two_spellings_of_a_type_are_one",
    "lint_reformat_no_origin": "public_api/test_lint.py::test_two_spellings_of_a_type_are_one",
    "lint_fp8_qdq": "public_api/test_lint.py::test_quantization_by_a_scale_is_found_whatever_its_name",
    "speedup_division_by_zero": "public_api/test_compare_engines.py::test_a_time_of_zero_or_none_has_no_speedup",
    "speedup_no_profiles": "public_api/test_compare_engines.py::test_a_time_of_zero_or_none_has_no_speedup",
    "match_ignores_names": "compare/test_classic_pairs.py::test_layers_of_one_name_pair_up",
    "merge_layer_without_inputs": "public_api/test_compare_engines.py::test_layers_without_inputs_have_a_row",
    "match_inexact_without_inputs": "compare/test_classic_pairs.py::test_layers_without_inputs_pair_up",
    "details_of_unmatched_layer": "public_api/test_compare_engines.py::"
    "test_details_of_a_pair_and_of_a_layer_without_counterpart",
    "batch_normalize_dynamic": "public_api/test_compare_engines.py::test_an_open_batch_is_that_of_the_run_or_unknown",
    "render_button": "public_api/test_report_card.py::test_the_graph_has_presets_and_switches",
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_trap_that_is_tested_elsewhere(name: str) -> None:
    file, _, function = ELSEWHERE[name].partition("::")
    assert f"\ndef {function}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")
    assert name not in TRAPS


@pytest.mark.parametrize("name", TRAPS)
def test_trap(name: str, tmp_path: Path) -> None:
    TRAPS[name](tmp_path)
