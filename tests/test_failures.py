"""What users of the original ran into, one test per report; ids are the reports' numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import trex
from tests.dot_parser import parse_dot
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
from tests.synthetic import CASES
from tests.synthetic.case import Case
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.export import dot_pictures
from trex.graph.build import build_graph
from trex.graphing import OnnxGraph, layer_type_formatter, render_dot, to_dot
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.spelling.device_facts import device_facts
from trex.ingest.spelling.tactic_names import decode_tactic
from trex.ingest.spelling.tensor_formats import parse_format
from trex.ingest.trtexec_command import build_command, recipe_of
from trex.plan.columns import COLUMNS
from trex.views.document import Text
from trex.views.explanation import explain
from trex.views.summary import engine_facts, summary_document

Check = Callable[[Path], None]
FAILURES: dict[str, Check] = {}


def failure(number: int, symptom: str) -> Callable[[Check], Check]:
    """Registers a test for one report; several may be about one."""

    def register(check: Check) -> Check:
        key = f"{number:02}-{symptom}"
        if key in FAILURES:
            raise ValueError(f"two tests are called {key!r}")
        FAILURES[key] = check
        return check

    return register


def opened(case: Case, folder: Path) -> trex.EnginePlan:
    return trex.load(case.write(folder))


def note(plan: trex.EnginePlan, code: str) -> Any:
    return next(found for found in plan.notes if found.code == code)


# ------------------------------------------------------------------------------------------------- loading


@failure(1, "the-parsers-error-is-told")
def the_place_of_the_damage_is_told(folder: Path) -> None:
    good = json.dumps({"Layers": chain("a", "b"), "Bindings": ["x", "y"]}, indent=1)
    lines = good.splitlines()
    place = next(number for number, line in enumerate(lines) if '"b"' in line)
    lines[place] = lines[place].replace('"b",', '"b"')
    path = written(folder / "mended.graph.json", "\n".join(lines).encode())
    plan = trex.EnginePlan(path)
    assert [item.name for item in plan.engine.layers] == ["a", "b"]
    mended = note(plan, "missing-comma")
    assert f"mended.graph.json:{place + 1}:" in mended.where or f"mended.graph.json:{place + 2}:" in mended.where


@failure(1, "what-cannot-be-read-is-quoted")
def what_cannot_be_read_is_quoted(folder: Path) -> None:
    path = written(folder / "log.graph.json", b"Traceback (most recent call last):\n" * 100)
    with pytest.raises(TrexError) as caught:
        trex.EnginePlan(path)
    error = caught.value
    assert "log.graph.json" in error.where
    assert error.excerpt.startswith("Traceback")
    assert len(error.excerpt) <= 200
    assert error.hint


@failure(1, "a-profile-is-no-graph")
def another_kind_of_file_is_named(folder: Path) -> None:
    path = written(folder / "m.json", times(("a", 1.0)))
    with pytest.raises(TrexError, match="layer times") as caught:
        trex.EnginePlan(path)
    assert "--exportLayerInfo" in caught.value.hint


@failure(2, "separators-are-data")
def raw_separators_are_read(folder: Path) -> None:
    layers = [
        layer("conv\x1erelu", inputs=["x"], outputs=["t"], Metadata="[ONNX Layer: /conv]\x1e[ONNX Layer: /relu]"),
        layer("gemm\x1fadd", "kgen", ["t"], ["y"], Metadata="[ONNX Layer: /a]\x1f[ONNX Layer: /b]"),
    ]
    data = json.dumps({"Layers": layers, "Bindings": ["x", "y"]}).encode()
    data = data.replace(b"\\u001e", b"\x1e").replace(b"\\u001f", b"\x1f")
    assert b"\x1e" in data
    plan = trex.EnginePlan(written(folder / "raw.graph.json", data))
    assert [item.name for item in plan.engine.layers] == ["conv+relu", "gemm+add"]
    assert [item.origins for item in plan.engine.layers] == [("/conv", "/relu"), ("/a", "/b")]
    assert plan.working_layers[0].raw["Name"] == "conv\x1erelu"


@failure(3, "train-stations")
def layers_may_have_no_tensors(folder: Path) -> None:
    layers = [layer("[trainStation1]", "TrainStation"), *chain("a"), layer("f", "LayerOfTheFuture")]
    plan = plan_of(folder, layers)
    assert [item.role.value for item in plan.engine.layers] == ["train station", "kernel", "kernel"]
    assert list(plan.df["type"]) == ["PointWiseV2", "LayerOfTheFuture"]
    assert list(plan.df["output_precision"]) == ["FP16", "Unknown"]
    assert any("Myelin region" in told.text for told in explain("TrainStation"))


@failure(4, "names-only")
def names_alone_are_joined_and_said_to_be_so(folder: Path) -> None:
    names = ["/conv1/Conv + /relu/Relu", "Reformatting CopyNode for Input Tensor 0 to /fc/Gemm", "/fc/Gemm"]
    plan = plan_of(folder, names, profile=times(*zip(names, (1.0, 2.0, 3.0), strict=True)))
    assert list(plan.df["type"]) == ["Convolution", "Reformat", "MatrixMultiply"]
    assert plan.total_runtime == 6.0
    told = note(plan, "names-only-engine")
    assert told.severity == "problem"
    assert "--profilingVerbosity=detailed" in told.hint
    assert set(plan.df["precision"]) == {"Unknown"}
    assert plan.df[["total_io_size_bytes", "weights_size", "total_footprint_bytes"]].isna().all().all()
    assert math.isnan(plan.total_act_size)
    assert math.isnan(plan.total_weights_size)


@failure(5, "trtexec-too-old")
def a_run_that_failed_is_told_with_its_reason(folder: Path) -> None:
    log = (
        "&&&& RUNNING TensorRT.trtexec [TensorRT v8203] # trtexec --loadEngine=m.engine --exportLayerInfo=g.json\n"
        "[01/02/2030-03:04:05] [E] Unknown option: --exportLayerInfo g.json\n"
        "=== Model Options ===\n"
        "  --onnx=<file>  ONNX model\n"
        "&&&& FAILED TensorRT.trtexec [TensorRT v8203] # trtexec --loadEngine=m.engine --exportLayerInfo=g.json\n"
    )
    told = trex.load(written(folder / "profile.log", log.encode())).notes
    assert any("run failed" in found.message and "Unknown option: --exportLayerInfo" in found.hint for found in told)


@failure(6, "conditional-branches")
def a_tensor_may_have_several_writers(folder: Path) -> None:
    layers = [
        layer("then", inputs=["x"], outputs=["b"]),
        layer("else", inputs=["x"], outputs=["b"]),
        layer("after", inputs=["b"], outputs=["y"]),
    ]
    plan = plan_of(folder, layers)
    assert [item.name for item in plan.engine.producers["b"]] == ["then", "else"]
    graph = build_graph(plan)
    assert len([edge for edge in graph.edges if edge.tensor.name == "b"]) == 2
    assert plan.total_act_size == 3 * 256


@failure(7, "reused-names-are-no-cycle")
def a_name_is_no_identity(folder: Path) -> None:
    layers = [
        layer("a", inputs=["x"], outputs=["s"]),
        layer("b", inputs=["s"], outputs=["t"]),
        layer("c", inputs=["t"], outputs=["s"]),
        layer("d", inputs=["s"], outputs=["y"]),
    ]
    plan = plan_of(folder, layers)
    graph = build_graph(plan)
    assert all(edge.source < edge.target or edge.carried for edge in graph.edges if edge.tensor.name in "st")
    pairs = {(edge.source, edge.target, edge.generation) for edge in graph.edges if edge.tensor.name == "s"}
    assert len(pairs) == 2
    assert {generation for _, _, generation in pairs} == {0, 1}
    assert plan.total_act_size == 5 * 256


@failure(8, "missing-is-not-zero")
def text_columns_take_missing_values(folder: Path) -> None:
    layers = chain("a", "b")
    layers[0] |= {"TacticName": "kernel", "Operations": ["x"], "Scale": {"Type": "Float", "Count": 3}}
    layers[1]["Inputs"] = [tensor("t1", [1, 8], "Int4")]
    plan = plan_of(folder, layers)
    frame = plan.df
    assert list(frame["tactic"]) == ["kernel", "TensorRT"]
    for name in ("Operations", "Scale", "TacticValue"):
        value = frame[name][1]
        assert isinstance(value, float) and math.isnan(value), name
    assert frame["weights_size"].tolist() == [12, 0]


@failure(9, "twelve-profiles")
def profiles_have_numbers_not_digits(folder: Path) -> None:
    plan = opened(CASES["thirteen-profiles"], folder)
    assert plan.whole_engine.profiles == tuple(range(13))
    counts = {n: len(plan.whole_engine.for_profile(n).layers) for n in plan.whole_engine.profiles}
    assert len(set(counts.values())) == 1
    assert {item.profile for item in plan.engine.layers} == {0}
    assert not any("[profile" in item.name for item in plan.whole_engine.layers)


@failure(10, "times-of-another-profile")
def times_join_whatever_suffix_they_lack(folder: Path) -> None:
    layers = [
        layer(f"{name}{mark}", "CaskConvolution", [f"{read}{mark}"], [f"{write}{mark}"], ParameterType="Convolution")
        for mark in ("", " [profile 1]", " [profile 12]")
        for name, read, write in (("a", "x", "t"), ("b", "t", "y"))
    ]
    names = [f"{name}{mark}" for mark in ("", " [profile 1]", " [profile 12]") for name in "xy"]
    bare = times(("a", 1.0), ("b", 2.0))
    marked = times(("a [profile 12]", 1.0), ("b [profile 12]", 2.0))
    for profile in (bare, marked):
        plan = plan_of(folder, layers, names, profile, profile_id=12)
        assert plan.df["latency.avg_time"].tolist() == [1.0, 2.0]
        assert plan.total_runtime == 3.0
    first = plan_of(folder, layers, names, marked, profile_id=0)
    assert first.df["latency.avg_time"].isna().all()
    assert math.isnan(first.total_runtime)


@failure(11, "signals-stay-visible")
def every_signal_is_treated_alike(folder: Path) -> None:
    kinds = ["signal", "wait", "signal", "signal_and_wait", "wait", "signal"]
    layers = [layer(f"s{place}", kind) for place, kind in enumerate(kinds)]
    plan = plan_of(folder, [*layers, *chain("a")])
    assert [item.role.value for item in plan.engine.layers] == ["sync"] * 6 + ["kernel"]
    assert list(plan.df["Name"]) == ["a"]
    timed = plan_of(folder, [*layers, *chain("a")], profile=times(("s1", 0.25), ("a", 1.0)))
    assert list(timed.df["Name"]) == ["s1", "a"]
    assert timed.total_runtime == 1.25


@failure(12, "convolutions-of-any-rank")
def convolutions_of_any_rank_are_listed(folder: Path) -> None:
    for name in ("conv1d", "conv3d", "deconvolution"):
        inner = folder / name
        inner.mkdir()
        plan = opened(CASES[name], inner)
        kind = "Deconvolution" if name == "deconvolution" else "Convolution"
        table = plan.get_layers_by_type(kind)
        assert len(table) == len(plan.working_layers)
        assert (table["attr.macs"] > 0).all()


@failure(13, "no-assertions")
def odd_engines_are_completed(folder: Path) -> None:
    nothings: list[Any] = [[], {}, None, [None, 3]]
    for empty in nothings:
        with pytest.raises(TrexError) as caught:
            plan_of(folder, empty)
        assert caught.value.hint
    plan = plan_of(folder, chain("a", "a", "b"), profile=times(("a", 1.0), ("b", 2.0)))
    assert plan.df["latency.avg_time"].tolist()[::2] == [1.0, 2.0]
    assert math.isnan(plan.df["latency.avg_time"][1])
    assert "layers-not-profiled" in codes(plan)
    with pytest.raises(TrexError):
        trex.EnginePlan([])


@failure(14, "unescaped-profiles")
def trtexecs_profile_need_not_be_json(folder: Path) -> None:
    names = ['/say "hi"/Conv', "/back\\slash/Conv", "/bell\x07/Conv", "/plain"]
    numbers = (("10", "1", "10"), ("20", "2", "20"), ("nan", "nan", "inf"), ("-nan", "-nan", "nan"))
    rows = ",\n".join(
        f'{{ "name" : "{name}", "timeMs" : {total}, "averageMs" : {average}, "percentage" : {share} }}'
        for name, (total, average, share) in zip(names, numbers, strict=True)
    )
    data = f'[\n{{ "count" : 10 }},\n{rows},\n]\n'.encode()
    plan = plan_of(folder, chain(*names), profile=data)
    assert plan.df["latency.avg_time"].tolist()[:2] == [1.0, 2.0]
    assert plan.df["latency.avg_time"].isna().tolist() == [False, False, True, True]
    assert plan.total_runtime == 3.0
    assert {"profile-unusable-number"} <= codes(plan)


@failure(14, "torn-profiles")
def a_torn_profile_keeps_its_whole_rows(folder: Path) -> None:
    data = json.dumps(times(("a", 1.0), ("b", 2.0), ("c", 4.0)), indent=1).encode()
    plan = plan_of(folder, chain("a", "b", "c"), profile=data[: data.rindex(b'"name"') + 5])
    assert plan.total_runtime == 3.0
    assert any(found.severity == "problem" for found in plan.notes)


@failure(15, "unlinked-kernels")
def what_is_not_linked_is_not_drawn_as_linked(folder: Path) -> None:
    layers = [
        layer("__myl_Add_myl0_0", "kgen", [tensor("", [4], "Half")], [tensor("", [4], "Half")]),
        layer("__myl_Mul_myl0_1", "kgen", [tensor("", [4], "Half")], [tensor("", [4], "Half")]),
    ]
    plan = plan_of(folder, layers)
    assert len(plan.working_layers) == 2
    assert build_graph(plan).edges == ()
    assert plan.total_act_size == 16
    assert plan.df["latency.avg_time"].isna().all()
    assert plan.total_weights_size == 0


@failure(16, "types-that-nobody-told")
def precision_has_other_witnesses(folder: Path) -> None:
    def untold(name: str) -> dict[str, Any]:
        return tensor(name, [-1, 8, -1, -1], "N/A due to dynamic shapes")

    layers = [
        convolution("weights", untold("x"), untold("t"), Weights={"Type": "Int8", "Count": 576}),
        layer("tactic", "CaskPooling", [untold("t")], [untold("u")], TacticName="sm80_xmma_fprop_f16f16_f16_nhwc"),
        layer("nothing", "Shuffle", [untold("u")], [untold("y")]),
    ]
    plan = plan_of(folder, layers)
    told = {item.name: item.compute for item in plan.working_layers}
    assert told["weights"].data_type is DataType.INT8
    assert told["tactic"].data_type is DataType.FP16
    assert "tactic" in told["tactic"].evidence or "f16" in told["tactic"].evidence
    assert told["nothing"].confidence < told["weights"].confidence < 1.01
    assert set(sizes(plan).values()) == {None}
    assert "--shapes" in note(plan, "unknown-data-type").hint


@failure(17, "renamed-device-keys")
def device_keys_may_be_renamed(folder: Path) -> None:
    for prefix in ("", "Application "):
        device = {
            "Selected Device": "NVIDIA A30",
            "Compute Capability": "8.0",
            "SMs": "56",
            f"{prefix}Compute Clock Rate": "1.44 GHz",
            f"{prefix}Memory Clock Rate": "1.215 GHz",
        }
        written(folder / "m.profile.metadata.json", {"device_information": device})
        plan = trex.load(graph_file(folder, chain("a")))
        facts = device_facts(plan.device_properties)
        assert (facts.name, facts.sm_count, facts.compute_clock_ghz) == ("NVIDIA A30", 56, 1.44)
        assert facts.compute_capability == (8, 0)


@failure(18, "release-11")
def release_11_takes_no_precision_flags(folder: Path) -> None:
    build = Metadata(build_options={"Precision": "FP32+FP16"}, tensorrt_version="11.0.0")
    assert "--fp16" not in build_command(recipe_of(EngineFiles("m"), build=build))
    old = Metadata(build_options={"Precision": "FP32+FP16"}, tensorrt_version="10.4.0")
    assert "--fp16" in build_command(recipe_of(EngineFiles("m"), build=old))
    plan = opened(CASES["cnn-11.1"], folder)
    inputs, outputs = plan.binding_tensors()
    assert inputs and outputs
    assert not any(found.severity == "problem" for found in plan.notes)


# ------------------------------------------------------------------------------------------- wrong numbers


@failure(35, "times-join-by-name")
def times_never_join_by_position(folder: Path) -> None:
    names = ("a", "b", "c", "d")
    rows = list(zip(names, (1.0, 2.0, 3.0, 4.0), strict=True))
    for order in (rows, rows[::-1], [rows[2], rows[0], rows[3], rows[1]]):
        plan = plan_of(folder, chain(*names), profile=times(*order))
        assert list(zip(plan.df["Name"], plan.df["latency.avg_time"], strict=True)) == rows
    with pytest.raises(TrexError, match="another engine"):
        plan_of(folder, chain(*names), profile=times(*((f"other-{name}", ms) for name, ms in rows)))


@failure(36, "coverage")
def what_was_not_profiled_is_said(folder: Path) -> None:
    plan = plan_of(folder, chain("a", "b", "c", "d"), profile=times(("a", 2.0), ("b", 1.0), ("ghost", 1.0)))
    assert plan.df["latency.avg_time"].isna().tolist() == [False, False, True, True]
    assert plan.join is not None
    assert plan.join.layers_covered_pct == 50
    assert plan.join.time_covered_pct == 75
    assert {"layers-not-profiled", "profile-records-unmatched"} <= codes(plan)
    zero = plan_of(folder, chain("a", "b"), profile=times(("a", 2.0), ("b", 0.0)))
    assert zero.df["latency.avg_time"].tolist() == [2.0, 0.0]
    assert "layers-not-profiled" not in codes(zero)


@failure(37, "scrambled-iterations")
def a_repeated_first_name_is_doubted(folder: Path) -> None:
    plan = plan_of(folder, chain("a", "b", "a"), profile=times(("a", 1.0), ("b", 2.0), ("a", 3.0)))
    assert "first-layer-name-repeats" in codes(plan)
    rows = times(("a", 1.0), ("b", 2.0))
    rows[2]["timeMs"] = 2.0 * 25
    drifted = plan_of(folder, chain("a", "b"), profile=rows)
    assert "iteration-count-differs" in codes(drifted)
    assert not codes(plan_of(folder, chain("a", "b"), profile=times(("a", 1.0), ("b", 2.0))))


@failure(38, "every-type")
def every_type_is_itself(folder: Path) -> None:
    words = {
        "BFloat16": ("BF16", 16),
        "FP8": ("FP8", 8),
        "FP4E2M1": ("FP4", 4),
        "E8M0": ("E8M0", 8),
        "Int4": ("INT4", 4),
        "Int64": ("INT64", 64),
        "UInt8": ("UINT8", 8),
        "Half": ("FP16", 16),
        "Float": ("FP32", 32),
        "Int8": ("INT8", 8),
        "Bool": ("BOOL", 8),
    }
    for word, (label, bits) in words.items():
        data_type, _ = parse_format(word)
        assert (data_type.label, data_type.bits) == (label, bits)
        assert parse_format(f"Row major linear {word} format")[0] is data_type
    plan = plan_of(folder, [layer("a", inputs=[tensor("x", [4], "Tetra12")], outputs=["y"])])
    assert sizes(plan)["x"] is None
    assert "Tetra12" in note(plan, "unknown-data-type").message


@failure(39, "sizes-at-a-profiles-shapes")
def dynamic_sizes_are_evaluated_on_request(folder: Path) -> None:
    plan = opened(CASES["dynamic-dimensions-11.1"], folder)
    assert set(sizes(plan).values()) == {None}
    assert math.isnan(plan.total_act_size)
    found = {point: sizes(plan.at_shapes(point))["input"] for point in ("min", "opt", "max")}
    assert found == {"min": 16 * 2, "opt": 8 * 16 * 8 * 8 * 2, "max": 32 * 16 * 32 * 32 * 2}
    assert (plan.df["total_io_size_bytes"].dropna() >= 0).all()


@failure(40, "layers-beside-the-whole")
def the_layers_sum_stands_beside_the_gpus_time(folder: Path) -> None:
    metadata = {
        "performance_summary": {"GPU Compute Time": [1.9, 2.2, 2.0, 2.0, 2.1], "Throughput": 490.0},
        "device_information": {"Selected Device": "X"},
    }
    written(folder / "m.profile.metadata.json", metadata)
    written(folder / "m.profile.json", times(("a", 1.0), ("b", 0.5)))
    plan = trex.load(graph_file(folder, chain("a", "b")))
    facts = {fact.label: fact.text for fact in engine_facts(plan)}
    assert "1.5" in facts["Sum of layer times"] and "2.0" in facts["GPU compute time"]
    types = summary_document(plan).section("types")
    assert "Layer times add up to 1.5000 ms, 0.75× GPU compute." in [
        line for block in types.blocks if isinstance(block, Text) for line in block.lines
    ]


@failure(41, "metrics-are-defined")
def every_column_of_time_is_defined(folder: Path) -> None:
    columns = {column.name: column for column in COLUMNS if column.name.startswith("latency.")}
    assert {"latency.avg_time", "latency.median_time", "latency.time", "latency.pct_time"} == set(columns)
    for column in columns.values():
        assert column.unit and column.meaning and column.source
        assert explain(column.name)
    rows = times(("a", 2.0), ("b", 6.0), count=5)
    rows[1]["medianMs"] = 1.5
    row = plan_of(folder, chain("a", "b"), profile=rows).df.iloc[0]
    assert (row["latency.time"], row["latency.avg_time"], row["latency.median_time"]) == (10.0, 2.0, 1.5)
    assert row["latency.pct_time"] == 25.0


@failure(42, "kernels-of-today")
def todays_kernels_are_understood(folder: Path) -> None:
    names = {
        "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x64_stage4_tensor16x8x16": "FP16",
        "cutlass_tensorop_f16_s16816fprop_optimized_f16_128x128_32x4_nhwc_align8": "FP16",
        "sm90_xmma_gemm_e4m3f32_e4m3f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1": "FP8",
    }
    for name, label in names.items():
        tactic = decode_tactic(name)
        assert tactic.input_type.label == label, name
        assert tactic.tensor_core, name
    half = tensor("x", [1, 64], "Half")
    for kind in ("gemm", "kgen", "PluginV3", "Attention"):
        plan = plan_of(folder, [layer("a", kind, [half], [tensor("y", [1, 64], "Half")], TacticName=LINEAR)])
        assert plan.df["precision"][0] == "FP16", kind


# ------------------------------------------------------------------------------------------------------------- drawing


@failure(19, "strings-fit-graphviz")
def no_string_of_dot_is_too_long(folder: Path) -> None:
    origins = "\x1e".join(f"[ONNX Layer: /encoder/layer.{i}/attention/self/MatMul_{i}]" for i in range(1_500))
    plan = plan_of(folder, [layer("a" * 66_000, "kgen", ["x"], ["y"], Metadata=origins)])
    for shows in (True, False):
        dot = to_dot(plan, layer_type_formatter, display_metadata=shows, expand_layer_details=True)
        assert {"n0"} <= parse_dot(dot.source).nodes.keys()  # which refuses strings of 16 384 bytes


@failure(21, "no-graphviz")
def svg_needs_no_graphviz(folder: Path) -> None:
    dot = to_dot(plan_of(folder, chain("a", "b")), layer_type_formatter)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dot_pictures.shutil, "which", lambda name: None)
        patch.setattr(dot_pictures.importlib.util, "find_spec", lambda name: None)
        written_to = render_dot(dot, str(folder / "engine"), "svg")
    assert "</svg>" in Path(written_to).read_text(encoding="utf-8")


@failure(22, "data-flow-by-default")
def reuse_of_regions_is_drawn_when_asked_for(folder: Path) -> None:
    pairs = [("in", "x"), ("x", "y"), ("y", "x"), ("x", "out")]
    layers = [layer(f"l{i}", "Convolution", [read], [made]) for i, (read, made) in enumerate(pairs)]
    plan = plan_of(folder, layers)
    dotted = [
        [look for *_, look in parse_dot(to_dot(plan, layer_type_formatter, **shown).source).edges if "style" in look]
        for shown in ({}, {"display_regions": True, "display_region_reuse": True})
    ]
    assert not dotted[0] and dotted[1]
    reformat = layer("r", "Reformat", ["x"], ["y"], ParameterType="Reformat", Origin="QDQ")
    assert "why: quantize" in to_dot(plan_of(folder, [reformat]), layer_type_formatter).source


@failure(23, "legend")
def the_legend_tells_colors(folder: Path) -> None:
    legend = parse_dot(to_dot(plan_of(folder, chain("a")), layer_type_formatter).source).nodes["legend"]["label"]
    assert "Tensors by precision" in legend and "FP16" in legend


@failure(51, "netron")
def netron_opens_the_graph(folder: Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load(OnnxGraph(plan_of(folder, chain("a", "b"))).save(folder / "engine.onnx"))
    assert [node.name for node in model.graph.node] == ["a", "b"]
    assert model.graph.node[1].input == model.graph.node[0].output


@pytest.mark.parametrize("name", FAILURES)
def test_failure(name: str, tmp_path: Path) -> None:
    FAILURES[name](tmp_path)


# Reports about more than one engine's files are tested beside what they are about.
ELSEWHERE = {
    20: "views/diagram/test_drawn_graph.py::test_large_graphs_are_folded_all_the_same",
    24: "ingest/spelling/test_layer_names.py::test_explanations_of_reformats_regions_and_generated_kernels",
    26: "packaging/test_wheel.py::test_a_sub_command_runs",
    27: "packaging/test_readme.py::test_the_first_lines_say_what_to_install_and_what_not",
    28: "packaging/test_wheel.py::test_requirements_have_lower_bounds_only",
    29: "public_api/test_report_card.py::test_tables_are_html_without_a_server_unless_asked",
    30: "public_api/test_report_card.py::test_the_graph_has_presets_and_switches",
    31: "public_api/test_lobby.py::test_importing_the_package_brings_no_library",
    32: "cli/test_every_command.py::test_json_follows_its_schema",
    33: "packaging/test_readme.py::test_every_command_is_in_the_table",
    34: "capture/test_collector.py::test_an_old_python_runs_it",
    44: "plan/test_onnx_origins.py::test_a_region_whose_metadata_list_all_its_nodes_is_believed",
    45: "plan/test_onnx_origins.py::test_a_region_has_what_lies_between_its_ends",
    46: "rules/test_qdq_report.py::test_coverage_by_time_and_by_work",
    47: "capture/backends/test_tensorrt.py::test_a_model_becomes_files_that_load",
    48: "views/guides/test_guides.py::test_there_is_a_guide_for_each_framework",
    49: "views/test_completeness.py::test_layers_of_a_build_log_are_layers",
    52: "graph/test_groups.py::test_modules_nest_and_single_children_are_one",
    53: "ingest/spelling/test_tactic_names.py::test_the_real_kernels_agree_with_their_layers",
    54: "ingest/logs/test_tactic_lines.py::test_the_two_fastest_of_all_runners",
    55: "rules/test_qdq_report.py::test_every_status",
    56: "export/documents/test_every_document.py::test_every_engine",
    57: "views/report/test_document.py::test_json_contains_the_numbers_behind_every_chart",
    58: "export/documents/test_text.py::test_a_whole_document",
}


@pytest.mark.parametrize("number", ELSEWHERE)
def test_a_report_that_is_tested_elsewhere(number: int) -> None:
    file, _, function = ELSEWHERE[number].partition("::")
    assert f"\ndef {function}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")


def test_every_report_about_loading_and_drawing_has_a_test() -> None:
    assert {int(name[:2]) for name in FAILURES} == {*range(1, 20), 21, 22, 23, *range(35, 43), 51}
