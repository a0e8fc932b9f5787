"""Real engines and logs: what must come out of every one of them.

Counts, sums and sizes were worked out from the files apart from this package: times as the sum of ``averageMs``,
weights from every type and count, activations from dimensions, type and padding of every distinct tensor.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import trex
from trex.core.errors import TrexError
from trex.core.layer import Role
from trex.ingest.artifacts import read_artifacts
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import find_plans


@dataclass(frozen=True)
class Real:
    """What a folder's engine is. layers: in the file. rows: types of the layers that work, with their precisions.

    weights, activations: bytes. device, throughput, queries (with the warm-up's share): None where no file tells.
    """

    layers: int
    rows: dict[tuple[str, str], int]
    ms: float | None
    weights: int
    activations: int
    device: str | None = None
    throughput: float | None = None
    queries: tuple[int, int] | None = None
    bindings: int = 2
    notes: frozenset[str] = field(default_factory=frozenset)


A100 = "NVIDIA A100 80GB PCIe"
RTX_3090 = "NVIDIA GeForce RTX 3090"
RTX_3060 = "NVIDIA GeForce RTX 3060 Laptop GPU"
TITAN = "NVIDIA TITAN RTX"
OLD = frozenset({"percentile-assumed"})
MYELIN = frozenset({"layout-not-reported", "unwritten-inputs-are-weights"})
FP16, FP32, INT8 = "FP16", "FP32", "INT8"
CONV, POOL, REFORMAT = "Convolution", "Pooling", "Reformat"

ENGINES = {
    "trt8.4-resnet18-a100-fp32": Real(
        32, {(CONV, FP32): 21, (POOL, FP32): 2, (REFORMAT, FP32): 1},
        2.123776, 46738848, 388756480, A100, 499.294, (1600, 100), notes=OLD,
    ),
    "trt8.4-resnet18-a100-fp16": Real(
        36, {(CONV, FP16): 21, (POOL, FP16): 2, (REFORMAT, FP16): 1, (REFORMAT, FP32): 1},
        1.016832, 23369424, 204140032, A100, 1155.36, (3698, 230), notes=OLD,
    ),
    "trt8.4-resnet18-a100-qat": Real(
        37, {(CONV, INT8): 21, (POOL, FP32): 1, (POOL, FP16): 1, (REFORMAT, FP32): 2, (REFORMAT, FP16): 10},
        1.09568, 11702112, 281965568, A100, 1130.01, (3614, 222), notes=OLD,
    ),
    "trt8.4-resnet18-a100-qat-residual": Real(
        26, {(CONV, INT8): 20, ("ConvActPool", INT8): 1, (POOL, FP32): 1, (REFORMAT, FP32): 2, (REFORMAT, INT8): 1},
        0.731136, 11702112, 90125312, A100, 1823.37, (5833, 361), notes=OLD,
    ),
    "trt8.4-resnet18-a100-qat-residual-qgap": Real(
        24, {(CONV, INT8): 20, ("ConvActPool", INT8): 1, (POOL, INT8): 1, (REFORMAT, FP32): 1},
        0.672768, 11702112, 84440064, A100, 1990.03, (6366, 394), notes=OLD,
    ),
    "trt8.2-resnet50-rtx3090-fp32": Real(
        103, {(CONV, FP32): 54, (POOL, FP32): 2, (REFORMAT, FP32): 13, ("Shuffle", FP32): 1, ("Slice", FP32): 1,
              ("SoftMax", FP32): 1},
        12.399744, 102121888, 1629120512, RTX_3090, 81.9895, (263, 15), notes=OLD,
    ),
    "trt8.2-resnet50-rtx3090-fp16": Real(
        86, {(CONV, FP16): 54, (POOL, FP16): 2, (REFORMAT, FP32): 1, (REFORMAT, FP16): 1, ("Shuffle", FP32): 1,
             ("Slice", FP16): 1, ("SoftMax", FP32): 1},
        4.272736, 51060944, 795484672, RTX_3090, 248.211, (795, 48), notes=OLD,
    ),
    "trt8.2-resnet50-rtx3090-qat": Real(
        63, {(CONV, INT8): 54, (POOL, INT8): 2, (REFORMAT, FP32): 2, ("Shuffle", INT8): 1, ("Slice", INT8): 1,
             ("Slice", FP32): 1, ("SoftMax", FP32): 1},
        2.380608, 25613152, 423754240, RTX_3090, 455.388, (1456, 87), notes=OLD,
    ),
    "trt8.4-mobilenetv2-qat": Real(
        73, {(CONV, INT8): 53, (POOL, FP16): 1, (REFORMAT, FP32): 4, (REFORMAT, FP16): 14},
        0.470389, 3541984, 8950144, TITAN, 2829.15, (8945, 455), notes=OLD,
    ),
    "trt8.4-mobilenetv2-qat-residuals": Real(
        58, {(CONV, INT8): 53, (POOL, FP16): 1, (REFORMAT, FP32): 1, (REFORMAT, FP16): 2},
        0.355921, 3541984, 8090880, TITAN, 3765.71, (11853, 554), notes=OLD,
    ),
    "trt8.6-controlnet-a10": Real(
        385, {(CONV, FP32): 64, ("PluginV2", FP32): 27, ("Scale", FP32): 27, ("PointWise", FP32): 31,
              ("ElementWise", FP32): 11, (REFORMAT, FP32): 53, ("MyelinReformat", FP32): 3,
              ("MyelinReformat", "INT32"): 1, ("Myelin", FP32): 7},
        8.97295037, 981713600, 197582728, bindings=17, notes=frozenset({"weights-not-reported", "average-off-median"}),
    ),
    "trt10.1-resnet18-torchtrt": Real(
        26, {(CONV, FP16): 21, (POOL, FP16): 2, (REFORMAT, FP16): 1}, None, 23369424, 6074320,
    ),
    "trt10.1-alexnet-onnx": Real(
        17, {(CONV, FP32): 8, (POOL, FP32): 3, (REFORMAT, FP32): 2, (REFORMAT, FP16): 1},
        1.10637888, 244403360, 3364976,
    ),
    "trt10.4-alexnet-fp16-rtx3060": Real(
        14, {(CONV, FP16): 5, (POOL, FP16): 3, (REFORMAT, FP16): 1, ("gemm", FP16): 3, ("kgen", FP16): 1,
             ("shape_call", "Unknown"): 1},
        0.52417137, 122201704, 1885904, RTX_3060, 2012.22, (6039, 0), notes=OLD | MYELIN,
    ),
    "trt10.4-resnet18-fp16-rtx3060": Real(
        26, {(CONV, FP16): 20, (POOL, FP16): 2, (REFORMAT, FP16): 1, ("kgen", FP16): 1, ("shape_call", "Unknown"): 1},
        0.36351572, 23369424, 6074320, RTX_3060, 3580.05, (10742, 0), notes=OLD | MYELIN,
    ),
    "trt10.4-mobilenetv2-fp16-rtx3060": Real(
        57, {(CONV, FP16): 52, (POOL, FP16): 1, (REFORMAT, FP16): 1, ("gemm", FP16): 1, ("shape_call", "Unknown"): 1},
        0.41127336, 6975640, 14063248, RTX_3060, 4283.31, (12852, 0), notes=OLD | MYELIN,
    ),
    "trt8.6-controlnet-slow-run": Real(
        389, {(CONV, FP16): 64, ("PluginV2", FP16): 22, ("PluginV2", FP32): 5, ("Scale", FP16): 22, ("Scale", FP32): 5,
              ("PointWise", FP16): 25, ("ElementWise", FP16): 7, ("ElementWise", FP32): 4, (REFORMAT, FP16): 57,
              (REFORMAT, FP32): 1, ("MyelinReformat", FP16): 14, ("MyelinReformat", FP32): 6,
              ("MyelinReformat", "INT32"): 1, ("Myelin", FP16): 7, ("Shuffle", FP16): 1},
        15.29463355, 490882720, 108037574, bindings=17,
        notes=frozenset({"weights-not-reported", "averages-off-medians"}),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def engines(shared_engines: Path) -> dict[str, trex.EnginePlan]:
    """Plans by folder, each loaded when first asked for."""

    class Plans(dict[str, trex.EnginePlan]):
        def __missing__(self, name: str) -> trex.EnginePlan:
            self[name] = trex.load(shared_engines / name)
            return self[name]

    return Plans()


def test_any_engine_has_the_layers_and_times_of_its_files(shared_engines: Path) -> None:
    """Every real engine, also one that is not in the table."""
    for files in find_plans(shared_engines):
        if files.graph is None:
            continue
        plan = EnginePlan.from_artifacts(read_artifacts(files))
        layers = json.loads(Path(files.graph).read_bytes())["Layers"]
        assert [layer.name for layer in plan.engine.layers] == [
            layer if isinstance(layer, str) else layer["Name"] for layer in layers
        ], files.name
        assert (plan.engine.verbosity in ("names", "log")) == isinstance(layers[0], str), files.name
        times = json.loads(Path(files.profile).read_bytes()) if files.profile else []
        if isinstance(times, list) and any("averageMs" in row for row in times):
            total_ms = math.fsum(row.get("averageMs", 0) for row in times)
            assert plan.total_runtime == pytest.approx(total_ms, abs=1e-6), files.name


def test_an_engine_that_has_only_names(shared_engines: Path) -> None:
    folder = shared_engines / "trt8.5-yolo-int8-names-only"
    plan = trex.EnginePlan(folder / "layer_info.json", folder / "profile.json")
    assert len(plan.engine.layers) == 86
    assert plan.total_runtime == pytest.approx(403.8158017)
    assert {layer.precision for layer in plan.working_layers} == {"Unknown"}
    assert math.isnan(plan.total_weights_size) and math.isnan(plan.total_act_size)
    assert [note.code for note in plan.notes if note.severity == "problem"] == ["names-only-engine"]


def test_the_log_next_to_it_knows_more(shared_engines: Path) -> None:
    """144 of 404 ms are in FP32: known only by the verbose log."""
    plan = trex.load(shared_engines / "trt8.5-yolo-int8-names-only")
    assert len(plan.engine.layers) == 86 and plan.total_runtime == pytest.approx(403.8158017)
    assert "layers-from-log" in {note.code for note in plan.notes}
    assert "names-only-engine" not in {note.code for note in plan.notes}
    assert Counter(layer.precision for layer in plan.working_layers)["INT8"] > 40
    first = trex.lint_engine(plan).findings[0]
    assert first.code == "PREC001" and "144 ms (35.9 % of time)" in first.message


def of_every_engine(check: Any) -> Any:
    return pytest.mark.parametrize("name", ENGINES)(check)


@of_every_engine
def test_layers(name: str, engines: dict[str, trex.EnginePlan]) -> None:
    plan, real = engines[name], ENGINES[name]
    assert len(plan.engine.layers) == real.layers
    assert Counter((layer.type, layer.precision) for layer in plan.working_layers) == real.rows
    assert len(plan.df) == len(plan.working_layers) == sum(real.rows.values())
    noops = sum(layer.role is Role.NOOP for layer in plan.engine.layers)
    assert len(plan.working_layers) == real.layers - noops - len(plan.engine.constants)
    assert plan.whole_engine.profiles == (0,)
    assert plan.engine.verbosity == "detailed"


@of_every_engine
def test_times(name: str, engines: dict[str, trex.EnginePlan]) -> None:
    plan, real = engines[name], ENGINES[name]
    if real.ms is None:
        assert math.isnan(plan.total_runtime)
        assert plan.df["latency.avg_time"].isna().all()
        return
    assert plan.total_runtime == pytest.approx(real.ms, abs=1e-6)
    assert plan.df["latency.avg_time"].notna().all()
    assert plan.df["latency.pct_time"].sum() == pytest.approx(100, abs=0.01)
    assert plan.join is not None
    assert plan.join.layers_covered_pct == 100
    assert plan.join.unmatched == ()


@of_every_engine
def test_sizes(name: str, engines: dict[str, trex.EnginePlan]) -> None:
    plan, real = engines[name], ENGINES[name]
    assert plan.total_weights_size == real.weights
    assert plan.total_act_size == real.activations
    unknown = {"activations": 0, "weights": sum(layer.type == "Myelin" for layer in plan.working_layers)}
    assert plan.unknown_sizes == unknown
    assert plan.df["weights_size"].isna().sum() == unknown["weights"]


@of_every_engine
def test_facts_beside_the_graph(name: str, engines: dict[str, trex.EnginePlan]) -> None:
    plan, real = engines[name], ENGINES[name]
    device = plan.device_properties
    named = device.get("Selected Device")
    assert named == real.device
    assert plan.performance_summary.get("Throughput") == real.throughput
    times = plan.query_times
    assert (None if times is None else (len(times), times.warm_up_rows)) == real.queries
    assert {note.code for note in plan.notes} == real.notes
    inputs, outputs = plan.binding_tensors()
    assert len(inputs) + len(outputs) == len(plan.bindings) == real.bindings
    assert not any(note.severity == "problem" for note in plan.notes)


@of_every_engine
def test_the_queries_are_near_the_sum_of_layers(name: str, engines: dict[str, trex.EnginePlan]) -> None:
    """The sum of layers, each measured apart, exceeds the whole: the more, the shorter the layers are."""
    plan = engines[name]
    gpu = plan.metadata.latency.get("GPU Compute Time")
    if gpu is None or gpu.median_ms is None:
        pytest.skip("no performance summary")
    assert 0.95 < plan.total_runtime / gpu.median_ms < 1.8


@of_every_engine
def test_folding_keeps_every_edge(name: str, engines: dict[str, trex.EnginePlan]) -> None:
    """Every tensor a row reads is written by an earlier row, a constant, or comes from outside."""
    plan = engines[name]
    outside = set(plan.bindings) | {t.name for layer in plan.engine.constants for t in layer.outputs}
    written = set(outside)
    for layer in plan.working_layers:
        assert {t.name for t in layer.inputs} <= written, layer.name
        written |= {t.name for t in layer.outputs}
    outputs = {binding.name for binding in plan.engine.bindings if binding.is_input is False}
    assert outputs <= written


def test_the_five_engines_of_the_quantization_walk_through(engines: dict[str, trex.EnginePlan]) -> None:
    names = [f"trt8.4-resnet18-a100-{part}" for part in ("fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap")]
    plans = [engines[name] for name in names]
    assert [round(plan.total_runtime, 3) for plan in plans] == [2.124, 1.017, 1.096, 0.731, 0.673]
    assert [len(plan.get_layers_by_type("Reformat")) for plan in plans] == [1, 2, 12, 3, 1]
    assert [len(plan.get_layers_by_type("ConvActPool")) for plan in plans] == [0, 0, 0, 1, 1]
    floats = [
        sum(layer.precision == INT8 and layer.outputs[0].data_type.is_float for layer in plan.working_layers)
        for plan in plans
    ]
    assert floats[2] == 13
    assert all(plan.binding_tensors()[0][0].shape == (32, 3, 224, 224) for plan in plans)


def test_adding_quantization_to_residuals_removes_reformats(engines: dict[str, trex.EnginePlan]) -> None:
    before, after = engines["trt8.4-mobilenetv2-qat"], engines["trt8.4-mobilenetv2-qat-residuals"]
    assert (len(before.engine.layers), len(after.engine.layers)) == (73, 58)
    assert before.total_weights_size == after.total_weights_size
    convolutions = before.get_layers_by_type("Convolution")
    depthwise = convolutions[convolutions["attr.groups"] > 1]
    assert len(depthwise) == 17
    assert (depthwise["attr.K"] == 9).all()


def test_what_is_special_about_controlnet(engines: dict[str, trex.EnginePlan]) -> None:
    plan = engines["trt8.6-controlnet-a10"]
    (constant,) = plan.engine.constants
    assert constant.weights[0].count == 160
    sinus = plan.engine.producers["onnx::Gemm_351"]
    assert [layer.name for layer in sinus] == ["PWN(Sin_72)", "PWN(Cos_71)"]
    assert all(layer.stream == 0 for layer in plan.engine.layers)
    fused = [layer for layer in plan.working_layers if len(layer.origins) > 3]
    assert fused
    assert not any("\x1e" in origin for layer in fused for origin in layer.origins)
    assert {layer.name_parts.fusion for layer in plan.working_layers if layer.type == "Myelin"} == {"foreign"}


def test_flat_files_of_layer_times_are_profiles(engines: dict[str, trex.EnginePlan]) -> None:
    plan = engines["trt10.1-alexnet-onnx"]
    assert plan.layer_times is not None
    assert plan.layer_times.count == 100
    assert all(time is not None and len(time.samples_ms) == 100 for time in plan.times)


def test_every_file_of_an_engine_leads_to_it(shared_engines: Path, engines: dict[str, trex.EnginePlan]) -> None:
    for name in ("trt8.4-resnet18-a100-qat", "trt10.4-resnet18-fp16-rtx3060", "trt10.1-alexnet-onnx"):
        for file in (shared_engines / name).iterdir():
            plan = trex.load(file)
            assert plan.total_runtime == pytest.approx(engines[name].total_runtime), file.name
            assert len(plan.engine.layers) == ENGINES[name].layers, file.name


# ---------------------------------------------------------------------------------------------------- logs


@dataclass(frozen=True)
class Logged:
    """What a log tells. layers, rows: of the profile shown. gpu_ms: median of GPU Compute Time."""

    layers: int = 0
    rows: int = 0
    version: str = ""
    device: str | None = None
    throughput: float | None = None
    gpu_ms: float | None = None
    ms: float | None = None
    bindings: tuple[str, ...] = ()
    notes: frozenset[str] = field(default_factory=frozenset)


ADA = "NVIDIA RTX 6000 Ada Generation"
GTX_1070 = "NVIDIA GeForce GTX 1070"
NO_LAYERS, ROWS = frozenset({"no-layers"}), frozenset({"engine-from-build-log"})
XYZ = ("x", "y", "z")

LOGS = {
    "trt7.2-superbench.log": Logged(device="A100-SXM4-40GB", notes=NO_LAYERS | {"tensorrt-7-log"}),
    "trt8.4-mnist-fp16-build-verbose.log": Logged(
        12, 10, "8.4.1", GTX_1070, 6106.55, 0.154663, bindings=("tensor-0", "tensor-15"), notes=ROWS
    ),
    "trt8.4-mnist-load-profile-verbose.log": Logged(
        0, 0, "8.4.1", GTX_1070, 6207.5, 0.15564, notes=NO_LAYERS | {"build-options-of-a-loaded-engine"}
    ),
    "trt8.4-sparsity-python-verbose.log": Logged(20, 20, notes=ROWS | {"several-runs-in-log"}),
    "trt8.5-superbench-profile.log": Logged(throughput=1000.0, gpu_ms=1.5, notes=NO_LAYERS),
    "trt8.6-build-verbose.log": Logged(15, 10, "8.6.0", RTX_3090, notes=ROWS | {"weights-out-of-range"}),
    "trt8.6-load-profile-verbose.log": Logged(
        0, 0, "8.6.0", RTX_3090, 21009.2, 0.0439453, notes=NO_LAYERS | {"build-options-of-a-loaded-engine"}
    ),
    "trt10.16-engine-inspector-python.log": Logged(
        14, 12, bindings=XYZ, notes=frozenset({"several-profiles", "dynamic-dimensions", "weights-not-reported"})
    ),
    "trt10.16-exportLayerInfo.graph.json": Logged(9, 9, bindings=XYZ, notes=frozenset({"weights-not-reported"})),
    "trt10.16-trtexec-01.log": Logged(0, 0, "10.16.0", ADA, 20181.8, 0.0288086, notes=NO_LAYERS | {"enqueue-bound"}),
    "trt10.16-trtexec-02.log": Logged(17, 13, "10.16.0", ADA, notes=ROWS | {"tiny-workspace", "dynamic-dimensions"}),
    "trt10.16-trtexec-03.log": Logged(0, 0, "10.16.0", ADA, 30894.3, 0.0286865, notes=NO_LAYERS),
    "trt10.16-trtexec-04.log": Logged(9, 9, "10.16.0", ADA, bindings=XYZ, notes=frozenset({"weights-not-reported"})),
    "trt10.16-trtexec-05.log": Logged(
        16, 16, "10.16.0", ADA, ms=0.0731, notes=frozenset({"engine-from-profile", "auxiliary-streams"})
    ),
    "trt10.16-trtexec-08.log": Logged(0, 0, "10.16.0", ADA, 46419.7, 0.00512695, notes=NO_LAYERS),
    "trtrtx-verbose.log": Logged(1, 1, notes=ROWS),
    "trtrtx1.7.1-bert-base-fp16-sm89-cpu-build-verbose.log": Logged(
        124, 124, bindings=("input_ids", "attention_mask", "token_type_ids", "last_hidden_state", "pooler_output")
    ),
    "trtrtx1.7.1-resnet18-fp32-cpu-build-verbose.log": Logged(24, 24, bindings=("input.1", "191")),
}
HELP_TEXTS = ("trt8.2-trtexec-help.txt", "trt8.5-trtexec-help.txt")


def test_any_log_loads_or_says_why_not(shared_logs: Path) -> None:
    """Every real log, also one that is not in the table."""
    for path in sorted(shared_logs.glob("*.log")):
        try:
            plan = trex.load(path)
        except TrexError as error:
            assert error.hint, path.name
        else:
            assert plan.engine.layers or "no-layers" in {note.code for note in plan.notes}, path.name


@pytest.fixture(scope="module")
def logs(shared_logs: Path) -> dict[str, trex.EnginePlan]:
    class Plans(dict[str, trex.EnginePlan]):
        def __missing__(self, name: str) -> trex.EnginePlan:
            self[name] = trex.load(shared_logs / name)
            return self[name]

    return Plans()


@pytest.mark.parametrize("name", LOGS)
def test_log(name: str, logs: dict[str, trex.EnginePlan]) -> None:
    plan, told = logs[name], LOGS[name]
    assert len(plan.engine.layers) == told.layers
    assert len(plan.working_layers) == len(plan.df) == told.rows
    assert plan.engine.tensorrt_version == told.version
    assert plan.device_properties.get("Selected Device") == told.device
    assert plan.performance_summary.get("Throughput") == told.throughput
    if told.ms is None:
        assert math.isnan(plan.total_runtime)
    else:
        assert plan.total_runtime == pytest.approx(told.ms)
    if told.bindings:
        assert tuple(plan.bindings) == told.bindings
    assert told.notes <= {note.code for note in plan.notes}
    lost = next((note for note in plan.notes if note.code == "no-layers"), None)
    assert (lost is not None) is (told.layers == 0)
    if lost is not None:
        assert lost.severity == "problem"
        assert "--exportLayerInfo" in lost.hint
        assert math.isnan(plan.total_act_size)
        assert math.isnan(plan.total_weights_size)


@pytest.mark.parametrize(
    ("name", "weights_bytes"),
    [
        # The builder prints 218965376 and 46739200 bytes, which include alignment.
        ("trtrtx1.7.1-bert-base-fp16-sm89-cpu-build-verbose.log", 218964992),
        ("trtrtx1.7.1-resnet18-fp32-cpu-build-verbose.log", 46738848),
    ],
)
def test_constants_are_weights(name: str, weights_bytes: int, logs: dict[str, trex.EnginePlan]) -> None:
    assert logs[name].total_weights_size == weights_bytes


@pytest.mark.parametrize("name", [name for name, told in LOGS.items() if told.throughput])
def test_latency_in_logs(name: str, logs: dict[str, trex.EnginePlan]) -> None:
    plan, told = logs[name], LOGS[name]
    gpu = plan.metadata.latency["GPU Compute Time"]
    assert gpu.median_ms is not None and gpu.minimum_ms is not None and gpu.maximum_ms is not None
    assert gpu.minimum_ms <= gpu.median_ms <= gpu.maximum_ms
    assert gpu.median_ms == told.gpu_ms
    assert plan.metadata.inference_options


@pytest.mark.parametrize("name", HELP_TEXTS)
def test_help_is_no_engine(name: str, shared_logs: Path) -> None:
    with pytest.raises(TrexError, match="help text") as caught:
        trex.load(shared_logs / name)
    assert name in caught.value.where
    assert caught.value.hint


def test_a_log_and_the_file_it_exported_tell_the_same(logs: dict[str, trex.EnginePlan]) -> None:
    exported, dumped = logs["trt10.16-exportLayerInfo.graph.json"], logs["trt10.16-trtexec-04.log"]
    assert [layer.name for layer in exported.engine.layers] == [layer.name for layer in dumped.engine.layers]
    for one, other in zip(exported.engine.layers, dumped.engine.layers, strict=True):
        assert (one.type, one.precision, one.total_io_size_bytes, one.weights_size_bytes) == (
            other.type,
            other.precision,
            other.total_io_size_bytes,
            other.weights_size_bytes,
        )
        assert [t.shape for t in (*one.inputs, *one.outputs)] == [t.shape for t in (*other.inputs, *other.outputs)]


def test_two_profiles_are_alike_but_for_their_numbers(shared_logs: Path) -> None:
    path = shared_logs / "trt10.16-engine-inspector-python.log"
    plans = [trex.load(path, profile_id=number) for number in (0, 1)]
    assert [len(plan.engine.layers) for plan in plans] == [14, 14]
    types = [[layer.type for layer in plan.engine.layers] for plan in plans]
    assert types[0] == types[1]
    assert [plan.total_weights_size for plan in plans] == [104192, 104192]
    with pytest.raises(TrexError, match="no optimization profile 2"):
        trex.load(path, profile_id=2)


def test_a_dynamic_engine_at_a_shape(shared_logs: Path) -> None:
    plan = trex.load(shared_logs / "trt10.16-engine-inspector-python.log")
    assert math.isnan(plan.total_act_size)
    found = plan.at_shapes({"x": (4, 1, 28, 28)})
    shapes = {t.name: t.shape for layer in found.engine.layers for t in layer.outputs}
    assert shapes["relu_1"] == (4, 64, 14, 14)
    assert shapes["y"] == (4, 10)
    assert found.unknown_sizes["activations"] == 0


def test_the_build_logs_ranges_reach_the_bindings(logs: dict[str, trex.EnginePlan]) -> None:
    plan = logs["trt8.4-mnist-fp16-build-verbose.log"]
    found = {point: plan.at_shapes(point).binding_tensors()[0][0].shape for point in ("min", "opt", "max")}
    assert found == {"min": (1, 1, 28, 28), "opt": (4, 1, 28, 28), "max": (16, 1, 28, 28)}
