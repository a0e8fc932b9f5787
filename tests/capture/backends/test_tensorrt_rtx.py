"""Real builds by TensorRT for RTX on this machine's CPU; skipped where its wheels are not installed."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto
from onnx.backend.test.case.node import collect_testcases

from tests.mocks import write_model
from tests.mocks.tensorrt import write_tensorrt_rtx
from tests.onnx_models import Net
from trex.capture import backend
from trex.capture.backend import BACKENDS, prepare_backend
from trex.capture.backends import tensorrt_rtx
from trex.capture.backends.tensorrt_rtx import targets_of
from trex.capture.capture_run import CaptureResult
from trex.capture.child import GRACE_S
from trex.capture.manifest import read_manifest
from trex.capture.options import CaptureOptions
from trex.capture.phases import Watcher
from trex.capture.probe import ask_python
from trex.capture.process import commands, process
from trex.capture.tensorrt_api import rtx
from trex.capture.tensorrt_api.collection import INTERRUPTED
from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.trtexec import find
from trex.core.errors import TrexError
from trex.core.provenance import Provenance
from trex.engine_plan import load
from trex.examples.network import write_network
from trex.export.document import render_document
from trex.ingest.signature import TIMING_CACHE_MAGIC
from trex.ingest.timing_cache import read_timing_cache
from trex.perf.device_file import device_text
from trex.perf.expected import expected_ms
from trex.perf.known_devices import find_device
from trex.views.summary import summary_document

NEEDS_WHEELS = pytest.mark.skipif(
    not BACKENDS["tensorrt-rtx"].value.is_available(CaptureOptions("m", "o")),
    reason="TensorRT for RTX is not installed: pip install -e '.[rtx]' (Linux x86-64)",
)
pytestmark = pytest.mark.slow


class Seen(Watcher):
    def __init__(self) -> None:
        self.phases: list[str] = []
        self.shares: list[float] = []

    def phase(self, name: str, done: int | None = None, total: int | None = None, share: float | None = None) -> None:
        self.phases.append(name)
        self.shares += [] if share is None else [share]


@pytest.fixture(scope="module")
def resnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ResNet18 with INT8 Q/DQ and random weights: an example network of ours."""
    return write_network("resnet18-qat", tmp_path_factory.mktemp("model") / "resnet18-qat.onnx", weights="random")


def options(model: Path, folder: Path, *words: str, **more: Any) -> CaptureOptions:
    return CaptureOptions(str(model), str(folder), words, backend="tensorrt-rtx", **more)


@NEEDS_WHEELS
def test_a_model_becomes_a_real_engine_without_a_gpu(resnet: Path, tmp_path: Path) -> None:
    seen = Seen()
    outcome = process(options(resnet, tmp_path / "out", target="sm89,RTX 3060"), seen)
    assert (outcome.exit_code, outcome.failure, outcome.done) == (0, None, ("build",))
    assert outcome.outputs.engine.read_bytes()[:4] == b"vtrt"
    record = read_manifest(outcome.outputs.manifest).engines["resnet18-qat.onnx.engine"]
    assert (record.backend, record.tensorrt_version) == ("tensorrt-rtx", rtx.find_wheels().version)
    assert "--target=sm89,sm86" in record.stages["build"].command
    assert "Optimizing graph" in seen.phases
    assert seen.shares == sorted(seen.shares) and 0 <= seen.shares[0] <= 0.1 and seen.shares[-1] > 0.7
    assert (record.stages["build"].peak_memory_bytes or 0) > 100e6
    plan = load(tmp_path / "out")
    assert plan.build_metadata.build_options["Targets"] == "sm89, sm86"
    assert record.model is not None and record.model.sha256 == hashlib.sha256(resnet.read_bytes()).hexdigest()
    assert [note.message for note in plan.notes if note.severity == "problem"] == []
    types = {layer.type for layer in plan.working_layers}
    assert {"correlation", "kgen", "maxpool"} <= types
    assert sum(layer.type == "correlation" for layer in plan.working_layers) == 20
    assert {layer.compute.data_type.label for layer in plan.working_layers if layer.type == "correlation"} == {"INT8"}
    assert not plan.is_profiled


@NEEDS_WHEELS
def test_a_build_that_is_up_to_date_is_not_repeated(resnet: Path, tmp_path: Path) -> None:
    assert process(options(resnet, tmp_path)).done == ("build",)
    assert process(options(resnet, tmp_path)).up_to_date == ("build",)
    assert process(options(resnet, tmp_path, target="sm89")).done == ("build",)


@NEEDS_WHEELS
def test_dynamic_shapes_become_a_profile(tmp_path: Path) -> None:
    net = Net()
    x = net.input("x", ("n", 64))
    weight = net.constant([0.5] * 64 * 32, (64, 32), TensorProto.FLOAT)
    net.output(net.node("Relu", net.node("MatMul", x, weight)))
    model = net.save(tmp_path / "m.onnx")
    words = ("minShapes=x:1x64", "optShapes=x:8x64", "maxShapes=x:32x64")
    outcome = process(options(model, tmp_path / "out", *words))
    assert outcome.failure is None
    binding = load(tmp_path / "out").engine.bindings[0]
    assert [tuple(shape) for shape in (binding.profiles[0].minimum, binding.profiles[0].maximum)] == [(1, 64), (32, 64)]


@pytest.fixture(scope="module", params=["resnet18-fp16", "bert-base-fp16"])
def dynamic(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[CaptureResult, ...]:
    """An example network with an open batch, built for a range of batches, and for the range's optimum alone."""
    folder = tmp_path_factory.mktemp("dynamic")
    path = write_network(request.param, folder / "m.onnx", weights="random")
    model = onnx.load(path)
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "batch"
    del model.graph.value_info[:]
    onnx.save(model, path)

    def shapes(batch: int) -> str:
        sizes = {
            one.name: "x".join(map(str, [batch, *(dim.dim_value for dim in one.type.tensor_type.shape.dim[1:])]))
            for one in model.graph.input
        }
        return ",".join(f"{name}:{text}" for name, text in sizes.items())

    words = [f"minShapes={shapes(1)}", f"optShapes={shapes(8)}", f"maxShapes={shapes(16)}"]
    outcomes = (
        process(options(path, folder / "any", *words, device="A100")),
        process(options(path, folder / "one", f"shapes={shapes(8)}", device="A100")),
    )
    assert [outcome.failure for outcome in outcomes] == [None, None]
    return outcomes


@NEEDS_WHEELS
def test_times_of_dynamic_engines_are_those_of_an_engine_for_one_shape(dynamic: tuple[CaptureResult, ...]) -> None:
    assert "time-at-one-shape" in {note.code for note in dynamic[0].notes}
    anyone, one = (load(outcome.outputs.folder) for outcome in dynamic)
    mine, others = ([ms for ms in plan.df["latency.avg_time"] if ms > 0] for plan in (anyone, one))
    assert len(mine) > 20 and mine == pytest.approx(others)
    assert expected_ms(anyone) == expected_ms(one)


@NEEDS_WHEELS
def test_what_shapes_determine_is_what_an_engine_for_these_shapes_has(dynamic: tuple[CaptureResult, ...]) -> None:
    anyone, alone = (load(outcome.outputs.folder) for outcome in dynamic)
    any_shape, one, resolved = (
        [layer for layer in plan.engine.layers if layer.inputs] for plan in (anyone, alone, anyone.at_shapes("opt"))
    )
    assert len(any_shape) == len(one) == len(resolved)
    for layer, expected in zip(resolved, one, strict=True):
        for tensor, other in zip((*layer.inputs, *layer.outputs), (*expected.inputs, *expected.outputs), strict=True):
            assert tensor.shape is not None and other.shape is not None
            if None not in tensor.shape:
                assert tensor.shape == other.shape, f"{layer.name}: {tensor.name}"


@NEEDS_WHEELS
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("fp16",), "no option --fp16: all precisions are those of the ONNX model"),
        (("avgRuns=3",), "does not support trtexec's option --avgRuns"),
        (("fp61",), f"TensorRT for RTX {rtx.TESTED} has no option --fp61"),
    ],
)
def test_a_wrong_option_is_refused_before_the_build(
    words: tuple[str, ...], message: str, resnet: Path, tmp_path: Path
) -> None:
    with pytest.raises(TrexError, match=re.escape(message)):
        process(options(resnet, tmp_path / "out", *words))
    assert not (tmp_path / "out").exists()


@NEEDS_WHEELS
@pytest.mark.parametrize(("precision", "example"), [("fp16", "resnet18-fp16"), ("int8", "resnet18-qat")])
def test_a_precision_names_an_example_that_is_converted(precision: str, example: str, tmp_path: Path) -> None:
    model = write_network(example, tmp_path / "m.onnx")
    with pytest.raises(TrexError) as caught:
        process(options(model, tmp_path / "out", precision))
    assert f"trex examples --model {example} --weights random" in caught.value.hint


@NEEDS_WHEELS
def test_options_reach_the_builder(resnet: Path, tmp_path: Path) -> None:
    words = ("maxAuxStreams=0", "builderOptimizationLevel=1", "memPoolSize=workspace:64", "avgTiming=2", "noTF32")
    outcome = process(options(resnet, tmp_path / "out", *words, "allowWeightStreaming"))
    assert outcome.failure is None
    plan = load(tmp_path / "out")
    assert plan.build_metadata.build_options["Memory Pools"] == "workspace: 64 MiB"
    assert "wait" not in {layer.type for layer in plan.working_layers}  # with auxiliary streams there are some


@NEEDS_WHEELS
def test_times_are_predicted_for_a_device_and_marked(resnet: Path, tmp_path: Path) -> None:
    outcome = process(options(resnet, tmp_path / "out", device="RTX 4090"))
    assert (outcome.failure, outcome.done) == (None, ("build", "profile"))
    o = outcome.outputs
    for path in (o.graph, o.profile, o.times, o.profile_metadata, o.profile_log):
        assert re.search("BuiltOnCPU|built_on_cpu", path.read_text()), path.name
    plan = load(tmp_path / "out")
    assert plan.provenance is Provenance.BUILT_ON_CPU and plan.is_profiled
    low, high = expected_ms(plan) or (0.0, 0.0)
    assert 0.0 < low < plan.performance_summary["GPU Compute Time"][3] < high
    assert plan.df.attrs["provenance"] == "built on a CPU, not measured"
    summary = render_document(summary_document(plan), "text").decode()
    assert plan.statement == Provenance.BUILT_ON_CPU.stated(f"for RTX {rtx.find_wheels().version}")
    assert plan.statement in summary


@NEEDS_WHEELS
def test_an_engine_without_its_layers_gets_no_times(resnet: Path, tmp_path: Path) -> None:
    engine = tmp_path / "m.engine"
    engine.write_bytes(b"vtrt" + bytes(40))
    outcome = process(options(engine, tmp_path / "out", device="RTX 4090"))
    assert outcome.exit_code == 2 and outcome.failure is not None
    assert "no layers to predict the times of" in outcome.failure.message
    wanted = options(resnet, tmp_path / "simulated", device="L4")
    assert process(replace(wanted, backend="simulated")).failure is None
    outcome = process(replace(wanted, profile_engine=True))
    assert outcome.failure is not None and "was not built by TensorRT for RTX" in outcome.failure.message


@NEEDS_WHEELS
def test_to_profile_takes_a_gpu(resnet: Path, tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="only builds here: to profile takes a GPU that it runs on"):
        process(options(resnet, tmp_path / "out", profile_engine=True))
    assert len(commands(options(resnet, tmp_path / "out"))) == 1


def product(folder: Path, rows: int | str = 16, type: int = TensorProto.FLOAT) -> Path:
    """x (rows × 64) by a matrix; of FP8 numbers where that is the type."""
    net = Net()
    weight_type = TensorProto.FLOAT16 if type == TensorProto.FLOAT8E4M3FN else type
    ends = [net.input("x", (rows, 64), weight_type), net.constant([0.5] * 64 * 32, (64, 32), weight_type)]
    if type != weight_type:
        scale, zero = net.constant([0.1], (), weight_type), net.constant([0.0], (), type)
        for op in ("QuantizeLinear", "DequantizeLinear"):
            ends = [net.node(op, end, scale, zero) for end in ends]
    net.output(net.node("MatMul", *ends), type=weight_type)
    return net.save(folder / "m.onnx")


@NEEDS_WHEELS
def test_other_shapes_or_another_device_file_predict_the_times_again(tmp_path: Path) -> None:
    device = tmp_path / "mine.json"
    device.write_text(device_text(find_device("RTX 4090")), "utf-8")
    words = ("minShapes=x:1x64", "optShapes=x:8x64", "maxShapes=x:64x64")
    wanted = options(product(tmp_path, "n"), tmp_path / "out", *words, device=str(device))
    assert process(wanted).done == ("build", "profile") and process(wanted).done == ()
    larger = replace(wanted, trtexec_args=(*words, "shapes=x:64x64"))
    assert process(larger).done == ("profile",) and process(larger).done == ()
    device.write_text(device.read_text("utf-8").replace("1008", "100"), "utf-8")
    assert process(larger).done == ("profile",)
    outcome = process(replace(larger, trtexec_args=(*larger.trtexec_args, "noCudaGraph", "noSpinWait")))
    assert outcome.done == ("profile",) and '"CUDA Graph": "Disabled"' in outcome.outputs.profile_metadata.read_text()
    assert next(note.message for note in outcome.notes if note.code == "not-predicted").startswith("--noSpinWait does")


def failure_of(model: Path, folder: Path, *words: str, **more: Any) -> TrexError:
    """Of a run that leaves no engine, and no part of one."""
    outcome = process(options(model, folder, *words, **more))
    assert outcome.failure is not None and outcome.exit_code in (1, 2)
    assert outcome.failure.message.startswith("the engine was not built: ")
    assert [path.name for path in folder.iterdir()] in ([f"{model.name}.engine.failed"], [])
    assert {path.suffix for path in folder.glob("*/*")} <= {".log", ".json"}
    assert not (folder / f"{model.name}.engine.graph.json").exists()
    return outcome.failure


@NEEDS_WHEELS
def test_a_model_that_it_cannot_import_fails_in_a_sentence(tmp_path: Path) -> None:
    net = Net()
    net.output(net.node("NoSuchOperator", net.input("x", (1, 3))))
    model = net.save(tmp_path / "m.onnx")
    assert "cannot be imported: in node 0" in failure_of(model, tmp_path / "out").message
    model.write_bytes(model.read_bytes()[:20])
    assert "cannot be imported" in failure_of(model, tmp_path / "out").message
    model.write_text("This is no ONNX model.\n" * 20)
    assert "holds no network" in failure_of(model, tmp_path / "out").hint


@NEEDS_WHEELS
@pytest.mark.parametrize(
    ("type", "words", "target", "message", "hint"),
    [
        (TensorProto.FLOAT, ("shapes=x:8x63",), "", "the shape 8x63 does not fit the input x", "the model has -1x64"),
        (TensorProto.FLOAT, ("shapes=y:8x64",), "", "the model has no input y", "its inputs: x"),
        (TensorProto.FLOAT8E4M3FN, ("shapes=x:8x64",), "sm86", "HW-specific datatypes: fp8_e4m3", "out of --target"),
        (TensorProto.FLOAT, ("shapes=x:8x64",), "all", "FP32 GEMM is not supported", "out of --target"),
        (TensorProto.FLOAT, ("shapes=x:8x64", "refit"), "", "CUDA_SUCCESS", "takes a GPU"),
    ],
)
def test_what_it_cannot_build_fails_in_a_sentence_with_a_next_step(
    type: int, words: tuple[str, ...], target: str, message: str, hint: str, tmp_path: Path
) -> None:
    failure = failure_of(product(tmp_path, "n", type), tmp_path / "out", *words, target=target)
    assert message in failure.message and hint in failure.hint


@NEEDS_WHEELS
def test_fp8_is_built_for_gpus_that_have_it(tmp_path: Path) -> None:
    model = product(tmp_path, 16, TensorProto.FLOAT8E4M3FN)
    assert process(options(model, tmp_path / "out", target="sm89,sm120")).failure is None
    assert "FP8" in {layer.compute.data_type.label for layer in load(tmp_path / "out").layers}


@NEEDS_WHEELS
def test_without_space_for_the_engine_nothing_of_it_is_left(resnet: Path, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, before[1]))
    try:
        failure = failure_of(resnet, tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "cannot be written" in failure.message and "free some space" in failure.hint


@NEEDS_WHEELS
def test_a_time_limit_ends_the_build(resnet: Path, tmp_path: Path) -> None:
    failure = failure_of(resnet, tmp_path / "out", timeout=0.3)
    assert "TensorRT for RTX was stopped after 0.3 s" in failure.message and "--timeout" in failure.hint


@NEEDS_WHEELS
def test_a_failed_build_keeps_the_engine_that_was_there(tmp_path: Path) -> None:
    model = product(tmp_path)
    engine = process(options(model, tmp_path / "out")).outputs.engine
    before = engine.read_bytes()
    outcome = process(options(model, tmp_path / "out", target="sm75"))
    assert outcome.failure is not None and engine.read_bytes() == before
    assert load(tmp_path / "out").layers


@NEEDS_WHEELS
@pytest.mark.usefixtures("terminal_signals")
def test_an_interruption_ends_the_build(tmp_path: Path) -> None:
    model = write_network("bert-base", tmp_path / "bert.onnx", weights="random")
    command = [sys.executable, "-m", "trex", "process", str(model), str(tmp_path / "out"), "--backend", "tensorrt-rtx"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ, start_new_session=True) as child:
        assert child.stderr is not None
        next(line for line in child.stderr if "ptimizing" in line)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=GRACE_S + 60)
    assert child.returncode == 130
    (aside,) = (tmp_path / "out").iterdir()
    names = {path.name for path in aside.iterdir()}
    assert aside.name == "bert.onnx.engine.failed" and names <= {
        f"bert.onnx.engine.build.{end}" for end in ("log", "metadata.json")
    } | {"manifest.json"}
    stage = read_manifest(aside / "manifest.json").engines["bert.onnx.engine"].stages["build"]
    assert (stage.stopped_by, stage.is_well) == ("SIGINT", False)
    if stage.exit_code >= 0:  # else it was killed after the grace period
        assert stage.exit_code == INTERRUPTED


@NEEDS_WHEELS
def test_every_model_of_onnx_becomes_a_plan_or_an_error(tmp_path: Path) -> None:
    """Models of ONNX's own backend tests, every 70th: nobody here made them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = sorted(collect_testcases(None), key=lambda case: str(case.name))[::70]
    built = 0
    for case in cases:
        path = tmp_path / f"{case.name}.onnx"
        assert case.model is not None
        path.write_bytes(case.model.SerializeToString())
        outcome = process(options(path, tmp_path / case.name))
        assert outcome.exit_code in (0, 1), case.name
        if outcome.failure is None:
            plan = load(tmp_path / case.name)
            assert plan.engine.bindings, case.name
            built += 1
        else:
            assert outcome.failure.message.startswith("the engine was not built: "), case.name
    assert len(cases) > 20 and built > len(cases) // 3


@pytest.fixture
def on_a_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., CaptureOptions]:
    """Options on a machine with a GPU and TensorRT for RTX: mocks of both."""

    def make(own: str, *words: str, **more: Any) -> CaptureOptions:
        packages = write_tensorrt_rtx(tmp_path / "lib")
        monkeypatch.syspath_prepend(str(packages))
        monkeypatch.setenv("PYTHONPATH", str(packages))
        monkeypatch.setenv("LD_LIBRARY_PATH", str(packages))
        monkeypatch.setattr(tensorrt_rtx, "own_target", lambda gpu: own)
        model = write_model(tmp_path / "m.onnx", inputs={"x": [-1, 3, 32, 32]})
        quick = ("shapes=x:2x3x32x32", *(("iterations=10", "warmUp=0", "duration=0") if own else ()))
        return options(model, tmp_path / "out", *quick, *words, dont_lock_clocks=True, **more)

    return make


def test_on_a_gpu_the_times_are_measured(on_a_gpu: Callable[..., CaptureOptions]) -> None:
    """Against the mock of TensorRT's API: on a GPU it was not tried."""
    outcome = process(on_a_gpu("sm89"))
    assert (outcome.failure, outcome.done) == (None, ("build", "profile"))
    plan = load(outcome.outputs.folder)
    assert plan.provenance is Provenance.MEASURED and plan.is_profiled and plan.statement == ""
    assert plan.tensorrt_version == "for RTX 1.7.1"
    assert plan.performance_summary["GPU Compute Time"]
    o = outcome.outputs
    files = (o.graph, o.profile, o.times, o.build_metadata, o.profile_metadata, o.profile_log, o.manifest)
    assert not any(re.search("BuiltOnCPU|built_on_cpu|built-on-cpu", path.read_text()) for path in files)
    build, profile = commands(on_a_gpu("sm89"))
    assert "--library=tensorrt-rtx" in build and "--library=tensorrt-rtx" in profile
    assert not any(word.startswith("--target") for word in build)
    assert "--noCudaGraph" not in profile


def test_an_engine_that_this_gpu_cannot_run_is_only_built(on_a_gpu: Callable[..., CaptureOptions]) -> None:
    assert len(commands(on_a_gpu("sm89", target="sm89"))) == 2
    older = commands(on_a_gpu("sm75"))
    assert "--target=sm75" in older[0] and len(older) == 2  # which it does not build for by itself
    with pytest.raises(TrexError, match="does not support trtexec's option --iterations"):
        commands(on_a_gpu("sm89", target="sm120"))


def test_times_of_a_named_gpu_are_predicted_also_on_a_gpu(
    on_a_gpu: Callable[..., CaptureOptions], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = replace(on_a_gpu(""), device="RTX 4090")
    monkeypatch.setattr(tensorrt_rtx, "own_target", lambda gpu: pytest.fail("nobody needs this machine's GPU"))
    assert "--device" in commands(wanted)[1]


def test_the_target_of_this_machines_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for capability, target in (([8, 9], "sm89"), ([9, 0], ""), (None, "")):
        monkeypatch.setattr(tensorrt_rtx, "has_driver", lambda: True)
        monkeypatch.setattr(tensorrt_rtx, "is_installed", lambda module: module == "pycuda")
        monkeypatch.setattr(tensorrt_rtx, "device_properties", lambda gpu, c=capability: [{"ComputeCapability": c}])
        assert tensorrt_rtx.own_target(0) == target
    monkeypatch.setattr(tensorrt_rtx, "has_driver", lambda: False)
    assert tensorrt_rtx.own_target(0) == ""


def test_targets_are_compute_capabilities_or_gpus() -> None:
    assert targets_of("") == ()
    assert targets_of("all") == rtx.TARGETS
    assert targets_of("SM89, RTX 3060, sm86") == ("sm89", "sm86")
    with pytest.raises(TrexError, match=r"does not build for H100 \(sm90\)"):
        targets_of("H100")
    with pytest.raises(TrexError, match="there is no target 'sm9'"):
        targets_of("sm9")


def test_versions_that_do_not_belong_together_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("libtensorrt_rtx.so.1.7.1", "libtensorrt_onnxparser_rtx.so.1.7.1"):
        (tmp_path / name).touch()
    monkeypatch.setattr(rtx, "_folder", lambda package: str(tmp_path))
    monkeypatch.setattr(rtx, "_version_of_bindings", lambda: "1.6.1")
    with pytest.raises(CollectorError, match=r"two versions: libraries 1\.7\.1, Python module 1\.6\.1"):
        rtx.find_wheels()
    wanted = options(product(tmp_path), tmp_path / "out")
    with pytest.raises(TrexError, match=r"libraries 1\.7\.1, Python module 1\.6\.1"):
        process(wanted)
    monkeypatch.setattr(rtx, "_version_of_bindings", lambda: "1.7.1.116")
    assert rtx.find_wheels().version == "1.7.1"
    monkeypatch.setattr(rtx, "_folder", lambda package: "")
    with pytest.raises(CollectorError, match="not installed") as caught:
        rtx.find_wheels()
    assert "[rtx]" in caught.value.hint
    assert not BACKENDS["tensorrt-rtx"].value.is_available(wanted)
    with pytest.raises(TrexError, match="TensorRT for RTX is not installed"):
        process(wanted)
    assert not (tmp_path / "out").exists()


def test_without_another_tensorrt_it_is_suggested(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(backend, "available", lambda options: None)
    monkeypatch.setattr(find, "_install_folders", lambda environment: iter(()))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TrexError) as caught:
        prepare_backend(CaptureOptions("m.onnx", "out"))
    assert "without a GPU: --backend tensorrt-rtx" in caught.value.hint


_TIMING_CACHE = """
import warnings
warnings.simplefilter("ignore")
from trex.capture.tensorrt_api.rtx import load_module
trt = load_module()
config = trt.Builder(trt.Logger()).create_builder_config()
config.set_flag(trt.BuilderFlag.EDITABLE_TIMING_CACHE)
cache = config.create_timing_cache(b"")
answer = [len(cache.queryKeys()), bytes(memoryview(cache.serialize())).hex()]
"""


@NEEDS_WHEELS
def test_its_timing_cache_holds_no_tactics_and_is_refused() -> None:
    """Its operations do nothing since 1.2, as it says itself; the layout is another than TensorRT's."""
    answer = ask_python(_TIMING_CACHE)
    assert not answer.problem
    keys, written = answer.value
    data = bytes.fromhex(written)
    assert keys == 0 and data.startswith(TIMING_CACHE_MAGIC)
    with pytest.raises(TrexError, match="a timing cache of a layout trex does not know: stream version 100"):
        read_timing_cache(data)
