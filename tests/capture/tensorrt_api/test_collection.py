"""The collector from a model to artifacts that load, release by release, and how it fails."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.capture.tensorrt_api.conftest import Run
from tests.launchers import unread
from tests.mocks import write_model
from tests.mocks.tensorrt import RELEASES, write_tensorrt
from trex.capture.log_metadata import metadata_of_log
from trex.engine_plan import load
from trex.store.run_store import RunStore

# Whole runs: too long for the check between two edits.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("terminal_signals")]

ALL = {
    "",
    ".graph.json",
    ".profile.json",
    ".timing.json",
    ".build.log",
    ".profile.log",
    "timing.cache",
}
SHAPES = {"inputs": {"x": [-1, 3, 32, 32]}}


@pytest.mark.parametrize("release", RELEASES)
def test_a_model_becomes_a_plan_that_loads_on_every_release(release: str, collect: Run) -> None:
    low = [] if release.startswith("11") else ["--fp16"]
    ran = collect(release, "--shapes", "x:4x3x32x32", *low, facts=SHAPES)
    assert ran.code == 0, ran.error
    assert ran.names == ALL
    plan = load(ran.folder / "m.onnx.engine.graph.json")
    assert len(plan.working_layers) == 11
    assert plan.df["latency.avg_time"].notna().all()
    assert plan.performance_summary["GPU Compute Time"]
    assert plan.builder_cfg["Input build shape (profile 0)"] == "x=" + "+".join(["4x3x32x32"] * 3)
    assert {tensor.shape for layer in plan.working_layers for tensor in layer.inputs if tensor.name == "x"} == {
        (4, 3, 32, 32)
    }


def test_the_logs_have_options_device_and_summary(collect: Run) -> None:
    ran = collect("10.4", "--fp16", "--mem-pool-size", "workspace:64", "--use-profile=0")
    logged = metadata_of_log(ran.folder / "m.onnx.engine.profile.log")
    assert logged.tensorrt_version == "10.4.0"
    assert logged.performance["GPU Compute Time"]
    assert logged.device["Selected Device"] == "Mock A100"
    assert logged.inference_options["CUDA Graph"] == "Enabled"
    build = metadata_of_log(ran.folder / "m.onnx.engine.build.log")
    assert build.build_options["Precision"] == "FP32+FP16"
    assert build.build_options["Memory Pools"] == "workspace: 64 MiB"


def test_its_folder_goes_into_a_store(collect: Run, tmp_path: Path) -> None:
    ran = collect("10.4", "--fp16")
    run = RunStore.open(tmp_path / "store", create=True).add(ran.folder)
    assert (run.gpu, run.tensorrt, run.layers, run.samples) == ("Mock A100", "10.4.0", 11, 12)
    assert run.gpu_compute_ms and run.layer_sum_ms and run.engine_bytes and run.provenance == "measured"


def test_times_are_in_trtexecs_keys_and_add_up(collect: Run) -> None:
    rows = collect("10.4", "--include-data-transfers").json(".timing.json")
    assert len(rows) == 12
    for row in rows:
        assert row["latencyMs"] == pytest.approx(row["h2dMs"] + row["computeMs"] + row["d2hMs"], abs=2e-6)
        assert row["h2dMs"] > 0 and row["d2hMs"] > 0
        assert row["endH2dMs"] == row["startComputeMs"] and row["endComputeMs"] == row["startD2hMs"]
    assert [row["startComputeMs"] for row in rows] == sorted(row["startComputeMs"] for row in rows)


def test_duplicate_names_are_rows_of_their_own(collect: Run) -> None:
    ran = collect("8.6", facts={"names": ["same", "same", "same"]})
    records = ran.json(".profile.json")
    assert records[0] == {"count": 12}
    same = [record["averageMs"] for record in records[1:] if record["name"] == "same"]
    assert len(same) == 3 and len(set(same)) == 3
    assert sum(record["percentage"] for record in records[1:]) == pytest.approx(100)


def test_a_layer_that_runs_sometimes_is_averaged_over_its_own_iterations(collect: Run) -> None:
    ran = collect("10.4", facts={"names": ["first", "second"]}, skips="second")
    assert ran.code == 0
    assert "differ between iterations" in ran.error
    whole = {record["name"]: record for record in ran.json(".profile.json")[1:]}
    assert whole["second"]["timeMs"] == pytest.approx(6 * whole["second"]["averageMs"], rel=1e-3)
    assert whole["first"]["timeMs"] == pytest.approx(12 * whole["first"]["averageMs"], rel=1e-3)


def test_a_reader_that_goes_early_ends_nothing(collector: Path, tmp_path: Path) -> None:
    packages = write_tensorrt(tmp_path / "lib")
    write_model(tmp_path / "m.onnx")
    environment = {"PYTHONPATH": str(packages), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-S", str(collector)]
    assert unread([*command, "--help"], tmp_path, environment) == (0, "")
    words = ["m.onnx", "out", "--iterations=12", "--warmUp=0", "--duration=0"]
    assert unread([*command, *words], tmp_path, environment) == (0, "")
    assert (tmp_path / "out" / "m.onnx.engine.profile.json").stat().st_size
    words = ["--onnx=m.onnx", "--saveEngine=m.engine", "--buildOnly"]  # all messages go to the pipe
    assert unread([*command, *words], tmp_path, environment)[0] == 1


def test_names_are_escaped(collect: Run) -> None:
    name = 'say "hi"\\ \x1e\n{}, "timeMs" : 3'
    ran = collect("10.4", facts={"names": [name]})
    assert ran.json(".profile.json")[1]["name"] == name


def test_an_engine_is_measured_without_being_built(collect: Run, tmp_path: Path) -> None:
    built = collect("10.4", "--skip-inference", facts=SHAPES)
    assert built.names == ALL - {".profile.json", ".timing.json", ".profile.log"}
    (tmp_path / "other.engine").write_bytes((built.folder / "m.onnx.engine").read_bytes())
    ran = collect("10.4", model="other.engine")
    assert ran.code == 0, ran.error
    assert (ran.folder / "other.engine.profile.json").exists()


def test_a_build_is_well_where_only_the_inspection_fails(collect: Run) -> None:
    ran = collect("10.4", "--skip-inference", fails="context")
    assert ran.code == 0
    assert "the engine was built, but not inspected: TensorRT created no execution context" in ran.error
    assert "" in ran.names


def test_a_names_only_engine_is_measured_with_a_warning(collect: Run) -> None:
    ran = collect("10.4", "--profiling-verbosity", "layer_names_only")
    assert ran.code == 0
    assert "only a new build helps, with --profilingVerbosity=detailed" in ran.error
    assert all(isinstance(layer, str) for layer in ran.json(".graph.json")["Layers"])
    assert len(ran.json(".profile.json")) > 5


def test_dynamic_inputs_without_shapes_get_ones_and_a_warning(collect: Run) -> None:
    ran = collect("10.16", facts=SHAPES)
    assert ran.code == 0
    assert "Automatically overriding shape to: 1x3x32x32" in ran.error
    assert "no shapes were provided" in ran.text(".build.log")


@pytest.mark.parametrize("release", ["8.6", "10.4"])
def test_shape_tensors_get_values_on_the_host(release: str, collect: Run) -> None:
    facts = {"inputs": {"x": [1, 3, 32, 32], "size": [2]}}
    ran = collect(release, "--shapes", "size:64x64", facts=facts, shape_tensor="size")
    assert ran.code == 0, ran.error


@pytest.mark.parametrize("cuda", ["cuda-python", "cuda-python 11", "pycuda"])
def test_every_way_to_cuda_measures(cuda: str, collect: Run) -> None:
    ran = collect("10.4", cuda=cuda)
    assert ran.code == 0, ran.error
    assert f"CUDA through {cuda.split()[0]}, driver 12.9" in ran.out
    assert ("pycuda has no CUDA graphs" in ran.error) == (cuda == "pycuda")
    graph = metadata_of_log(ran.folder / "m.onnx.engine.profile.log").inference_options["CUDA Graph"]
    assert graph == ("Disabled" if cuda == "pycuda" else "Enabled")
    assert len(ran.json(".timing.json")) == 12


def test_without_cuda_the_engine_is_built_and_inspected_only(collect: Run) -> None:
    ran = collect("10.4", "--cuda", "none")
    assert ran.code == 0
    assert "not measured: pip install cuda-python (trex's extra: tensorrt-engine-explorer[gpu])" in ran.error
    assert ran.names == ALL - {".profile.json", ".timing.json"}
    assert len(load(ran.folder / "m.onnx.engine.graph.json").layers) == 11


def test_a_graph_that_cannot_be_captured_is_done_without(collect: Run) -> None:
    ran = collect("10.4", fails="capture")
    assert ran.code == 0
    assert "CUDA graph capture failed" in ran.error
    assert len(ran.json(".profile.json")) > 5


def test_precision_words_are_refused_since_11(collect: Run) -> None:
    ran = collect("11.0", "--fp16")
    assert ran.code == 2
    assert "TensorRT 11.0.0 has no --fp16: all types come from the model" in ran.error
    assert "AutoCast" in ran.error


@pytest.mark.parametrize(
    "release, word, since",
    [("8.5", "--builder-optimization-level=5", "8.6"), ("10.0", "--max-tactics=3", "10.4"), ("8.6", "--bf16", "BF16")],
)
def test_what_a_release_lacks_is_reported_before_the_build(release: str, word: str, since: str, collect: Run) -> None:
    ran = collect(release, word)
    assert ran.code == 2
    assert since in ran.error
    assert ".engine" not in ran.names


def test_parser_errors_are_a_sentence_each(collect: Run) -> None:
    errors = [(7, "/head/Foo", "Foo", "No importer registered\nfor op: Foo."), (9, "", "", "Second.")]
    ran = collect("10.4", parser_errors=errors)
    assert ran.code == 1
    assert 'error: the model cannot be imported: in node 7 (Foo "/head/Foo"): No importer registered for op: Foo' in (
        ran.error
    )
    assert "(and 1 more)" in ran.error
    old = collect("8.6", parser_errors=errors)
    assert "in node 7: No importer registered for op: Foo" in old.error


def test_a_file_that_is_no_model(collect: Run, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(b"not a model")
    ran = collect("10.4")
    assert ran.code == 1
    assert "the model cannot be imported: in the model: Failed to parse ONNX model" in ran.error


@pytest.mark.parametrize(
    "stage, words",
    [
        ("build", "TensorRT built no engine: Error Code 2: OutOfMemory"),
        ("context", "TensorRT created no execution context: Error Code 2: OutOfMemory"),
        ("load", "TensorRT cannot load the engine: Error Code 1: Serialization"),
        ("inference", "the inference failed: Error Code 3"),
    ],
)
def test_failures_are_reported_in_tensorrts_words_and_what_was_collected_is_kept(
    stage: str, words: str, collect: Run
) -> None:
    ran = collect("10.4", fails=stage)
    assert ran.code == 1
    assert words in ran.error
    assert ".build.log" in ran.names
    assert ("" in ran.names) == (stage != "build")
    assert (".graph.json" in ran.names) == (stage == "inference")


def test_a_run_that_does_not_measure_leaves_no_times_of_another_engine(collect: Run) -> None:
    times = {".profile.json", ".timing.json"}
    first = collect()
    whole = {ending: first.text(ending) for ending in first.names - {""} if ending.startswith(".")}
    failed = collect("10.4", "--fp16", fails="build")
    assert {ending: failed.text(ending) for ending in whole} == whole and "FP16" in failed.text(
        ".failed/m.onnx.engine.build.log"
    )
    unmeasured = collect("10.4", "--fp16", cuda="")
    assert unmeasured.code == 0 and not unmeasured.names & times and "FP16" in unmeasured.text(".build.log")
    assert unmeasured.text(".earlier/m.onnx.engine.timing.json") == whole[".timing.json"]
    assert "the earlier engine is in" in unmeasured.error
    assert collect("10.4", "--fp16", fails="context").code == 1
    assert unmeasured.text(".earlier/m.onnx.engine.timing.json") == whole[".timing.json"]
    assert collect("10.4", "--fp16").names == first.names


def test_without_a_gpu_it_says_so(collect: Run) -> None:
    assert "CUDA's cudaGetDeviceCount failed: cudaErrorNoDevice" in collect("10.4", "--device=1", no_gpu=True).error
    ran = collect("10.4", no_gpu=True)
    assert ran.code == 1
    assert "TensorRT 10.4.0 found no GPU it can use: CUDA initialization failure with error: 35" in ran.error
    assert "nvidia-smi should list a GPU" in ran.error


def test_an_engine_of_another_release(collect: Run, tmp_path: Path) -> None:
    built = collect("8.6", "--skip-inference")
    (tmp_path / "old.engine").write_bytes((built.folder / "m.onnx.engine").read_bytes())
    ran = collect("10.4", model="old.engine")
    assert ran.code == 2
    assert "the engine was built by TensorRT 8.6.1, and this is TensorRT 10.4.0" in ran.error


@pytest.mark.parametrize(
    "words, message",
    [
        (("--shapes", "y:1x3x32x32"), "the model has no input y"),
        (("--shapes", "x:1x4x32x32"), "the shape 1x4x32x32 does not fit the input x"),
        (("--shapes", "x=1"), "'x=1' is not the shape of an input"),
        (("--min-shapes=x:8x3x32x32", "--opt-shapes=x:4x3x32x32"), "do not grow from minimum to maximum"),
        (("--fp61",), "the collector has no option --fp61"),
        (("--device", "3"), "there is no GPU 3: CUDA finds one, number 0"),
    ],
)
def test_wrong_words(words: tuple[str, ...], message: str, collect: Run) -> None:
    ran = collect("10.4", *words, facts=SHAPES)
    assert ran.code in (1, 2)
    assert message in ran.error
    assert "Traceback" not in ran.error


@pytest.mark.parametrize("cuda", ["cuda-python 11", "pycuda"])
def test_a_gpu_that_is_not_there(cuda: str, collect: Run) -> None:
    ran = collect("10.4", "--device", "3", cuda=cuda)
    assert ran.code == 2
    assert "there is no GPU 3: CUDA finds one, number 0" in ran.error and "nvidia-smi -L" in ran.error


def test_the_run_uses_the_profile_it_is_reported(collect: Run) -> None:
    profiles = []
    for number, batches in enumerate(((1, 2, 4), (8, 8, 16))):
        sides = zip(("min", "opt", "max"), batches, strict=True)
        profiles += [f"--profile={number}", *(f"--{side}Shapes=x:{batch}x3x32x32" for side, batch in sides)]
    ran = collect("10.4", *profiles, "--useProfile=1", facts=SHAPES)
    assert ran.code == 0, ran.error
    options = metadata_of_log(ran.folder / "m.onnx.engine.profile.log").inference_options
    assert options["Input inference shape"] == "x=8x3x32x32"
    outside = collect("10.4", *profiles, "--shapes=x:9x3x32x32", facts=SHAPES)
    assert "profile 0 goes from 1x3x32x32 to 4x3x32x32" in outside.error


def test_a_timing_cache_of_another_release_is_replaced(collect: Run) -> None:
    assert "does not fit" not in collect("10.4").error
    assert "does not fit" not in collect("10.4").error
    assert "the timing cache" in collect("10.16").error


def test_int8_without_qdq_is_warned_about(collect: Run) -> None:
    ran = collect("8.6", "--int8")
    assert "results mean nothing" in ran.error
    assert load(ran.folder / "m.onnx.engine.graph.json").layers[3].precision == "INT8"


def test_names_with_blanks_and_letters_of_all_kinds(collect: Run, tmp_path: Path) -> None:
    (tmp_path / "mein Mödell.onnx").write_bytes(b"\x08\x08" + json.dumps({}).encode())
    ran = collect("10.4", model="mein Mödell.onnx")
    assert ran.code == 0, ran.error
    assert (ran.folder / "mein Mödell.onnx.engine.graph.json").exists()


@pytest.mark.parametrize(
    ("release", "behavior", "signals", "code"),
    [
        ("10.4", {}, (signal.SIGINT,), 130),  # through the monitor
        ("10.4", {}, (signal.SIGTERM,), 130),
        ("10.4", {"deaf": True}, (signal.SIGINT, signal.SIGINT), 130),  # at once
        ("8.6", {}, (signal.SIGINT,), -signal.SIGINT),  # has no monitor
    ],
)
def test_ctrl_c_ends_a_build_and_keeps_the_log(
    release: str, behavior: dict[str, Any], signals: tuple[int, ...], code: int, collector: Path, tmp_path: Path
) -> None:
    packages = write_tensorrt(tmp_path / "lib", release, build_s=60, **behavior)
    write_model(tmp_path / "m.onnx")
    words = [sys.executable, "-S", str(collector), str(tmp_path / "m.onnx"), str(tmp_path / "out")]
    child = subprocess.Popen(words, env={"PYTHONPATH": str(packages)}, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    for line in child.stdout:
        if line.startswith(("[progress] Building Engine: 0 of 4", "Finished parsing")):
            break
    for number in signals:
        time.sleep(0.1)
        child.send_signal(number)
    assert child.wait(timeout=60) == code
    child.stdout.close()
    (log,) = (tmp_path / "out").rglob("m.onnx.engine.build.log")
    assert "Start parsing network model." in log.read_text()
    assert not (tmp_path / "out" / "m.onnx.engine").exists()


def test_an_ignored_ctrl_c_does_not_end_a_build(collector: Path, tmp_path: Path) -> None:
    """As in ``nohup python collect.py … &``."""
    packages = write_tensorrt(tmp_path / "lib", "10.4", build_s=1)
    write_model(tmp_path / "m.onnx")
    words = [sys.executable, "-S", str(collector), str(tmp_path / "m.onnx"), str(tmp_path / "out"), "--skipInference"]
    child = subprocess.Popen(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *words],
        env={"PYTHONPATH": str(packages)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    for line in child.stdout:
        if line.startswith("[progress] Building Engine: 0 of 4"):
            break
    child.send_signal(signal.SIGINT)
    child.stdout.read()
    assert child.wait(timeout=60) == 0
    assert (tmp_path / "out" / "m.onnx.engine").exists()
