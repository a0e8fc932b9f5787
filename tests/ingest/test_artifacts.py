"""The files of one engine are read by kind; if several have the same fact, the right one counts."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.raw_records import chain, codes, graph_file, times, written
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.ingest.artifacts import read_artifacts, read_graph_or_text
from trex.ingest.files import find_engines
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.spelling.device_facts import device_facts
from trex.views.summary import engine_facts

STAMP = "[01/02/2030-03:04:05] [I]"


def performance(milliseconds: float) -> list[str]:
    return [
        f"{STAMP} === Performance summary ===",
        f"{STAMP} Throughput: {1000 / milliseconds:.2f} qps",
        f"{STAMP} GPU Compute Time: min = {milliseconds} ms, max = {milliseconds} ms, mean = {milliseconds} ms, "
        f"median = {milliseconds} ms, percentile(99%) = {milliseconds} ms",
        f"{STAMP}",
    ]


def build(precision: str = "FP32+FP16", shape: str = "x=1x8+2x8+4x8") -> list[str]:
    return [
        f"{STAMP} === Model Options ===",
        f"{STAMP} Format: ONNX",
        f"{STAMP} Model: m.onnx",
        f"{STAMP} === Build Options ===",
        f"{STAMP} Precision: {precision}",
        f"{STAMP} Input build shape (profile 0): {shape}",
    ]


def device() -> list[str]:
    return [f"{STAMP} === Device Information ===", f"{STAMP} Selected Device: NVIDIA A30", f"{STAMP}"]


def layer_dump(name: str) -> list[str]:
    tensors = "[ { Name: %s, Location: Device, Dimensions: [1,8], Format/Datatype: Half }]"
    return [
        f"{STAMP} Layer Information:",
        f"{STAMP} Layers:",
        f"Name: {name}, LayerType: kgen, Inputs: {tensors % 'x'}, Outputs: {tensors % 'y'}, TacticName: k",
        "",
        "Bindings:",
        "x",
        "y",
        "",
    ]


def run(*parts: list[str], command: str = "--onnx=m.onnx", version: str = "101600") -> bytes:
    title = f"TensorRT.trtexec [TensorRT v{version}] [b1] # trtexec {command}"
    lines = [f"&&&& RUNNING {title}", *(line for part in parts for line in part), f"&&&& PASSED {title}"]
    return ("\n".join(lines) + "\n").encode()


def read(folder: Path, **files: bytes | Path):
    paths: dict[str, Any] = {}
    for slot, content in files.items():
        endings = {"graph": ".graph.json", "profile": ".profile.json"}
        path = content if isinstance(content, Path) else folder / f"m.{slot}{endings.get(slot, '')}"
        if isinstance(content, bytes):
            path.write_bytes(content)
        paths[slot] = str(path)
    return read_artifacts(EngineFiles("m", **paths))


def test_a_graph_alone(tmp_path: Path) -> None:
    result = read(tmp_path, graph=graph_file(tmp_path, chain("a", "b")))
    assert result.engine.name == "m"
    assert len(result.engine.layers) == 2
    assert result.layer_times is result.query_times is None
    assert result.metadata.is_empty and result.build_metadata.is_empty


@pytest.mark.parametrize(
    ("member", "content"),
    [("build.txt", b"x"), ("x.json", b'{"build_options": 7}')],
)
def test_an_unreadable_member_of_an_archive_is_a_note(member: str, content: bytes, tmp_path: Path) -> None:
    layers = {"Layers": chain("a", "b"), "Bindings": []}
    with zipfile.ZipFile(tmp_path / "m.tea", "w") as archive:
        archive.writestr("plan_cfg.json", json.dumps(layers))
        archive.writestr(member, content)
    (files,) = find_engines(tmp_path / "m.tea")
    result = read_artifacts(files)
    assert [layer.name for layer in result.engine.layers] == ["a", "b"]
    (note,) = [note for note in result.notes if note.code == "member-not-read"]
    assert note.message.startswith(f"{member} was left out: ") and note.where.startswith(f"{files.archive}!{member}")


def test_an_archive_of_unreadable_members_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.tea", "w") as archive:
        archive.writestr("build.txt", b"x")
    with pytest.raises(TrexError, match="no line of this file") as error:
        read_artifacts(*find_engines(tmp_path / "m.tea"))
    assert error.value.where == f"{tmp_path / 'm.tea'}!build.txt"


def test_a_file_given_by_the_user_must_be_readable(tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="no line of this file"):
        read(tmp_path, graph=graph_file(tmp_path, chain("a")), build_log=b"x")


def test_a_log_that_builds_and_runs_has_both(tmp_path: Path) -> None:
    result = read(tmp_path, build_log=run(build(), device(), layer_dump("k"), performance(2.0)))
    assert result.build_metadata.build_options["Precision"] == "FP32+FP16"
    assert result.metadata.performance["Throughput"] == 500.0
    assert result.metadata.latency["GPU Compute Time"].median_ms == 2.0
    assert result.metadata.device["Selected Device"] == "NVIDIA A30"
    assert result.metadata.build_options == {}
    assert result.engine.tensorrt_version == "10.16.0"
    assert [layer.name for layer in result.engine.layers] == ["k"]
    (binding,) = [b for b in result.engine.bindings if b.name == "x"]
    assert binding.profiles[0].optimum == (2, 8)


def test_the_runs_own_metadata_comes_before_that_of_the_build(tmp_path: Path) -> None:
    own = {"performance_summary": {"Throughput": 111.0}, "inference_options": {"Iterations": "10"}}
    result = read(
        tmp_path,
        graph=graph_file(tmp_path, chain("a")),
        profile_metadata=json.dumps(own).encode(),
        build_log=run(build(), performance(2.0)),
    )
    assert result.metadata.performance == {"Throughput": 111.0}
    assert result.metadata.latency == {}
    assert result.build_metadata.performance["Throughput"] == 500.0


def test_a_build_that_skipped_inference_ran_nothing(tmp_path: Path) -> None:
    result = read(tmp_path, build_log=run(build(), device(), layer_dump("k")))
    assert result.metadata.is_empty
    assert result.build_metadata.device


def test_one_log_of_build_and_profile_is_taken_apart(tmp_path: Path) -> None:
    log = run(build(), device(), layer_dump("k"), performance(3.0)) + run(
        [f"{STAMP} === Model Options ===", f"{STAMP} Format: *"], device(), performance(2.0), command="--loadEngine=m"
    )
    result = read(tmp_path, build_log=log)
    assert result.build_metadata.build_options["Precision"] == "FP32+FP16"
    assert result.metadata.performance["Throughput"] == 500.0
    assert [layer.name for layer in result.engine.layers] == ["k"]


def test_of_several_engines_in_a_log_the_last_counts(tmp_path: Path) -> None:
    log = run(build("FP32"), layer_dump("first")) + run(build("FP32+INT8"), layer_dump("second"))
    result = read(tmp_path, build_log=log)
    assert [layer.name for layer in result.engine.layers] == ["second"]
    assert result.build_metadata.build_options["Precision"] == "FP32+INT8"
    assert [layer.name for layer in read_graph_or_text(log, "m.log").layers] == ["second"]


def test_a_graph_file_comes_before_a_log(tmp_path: Path) -> None:
    result = read(tmp_path, graph=graph_file(tmp_path, chain("a")), build_log=run(build(), layer_dump("k")))
    assert [layer.name for layer in result.engine.layers] == ["a"]
    assert result.build_metadata.build_options


def test_a_profile_alone_makes_an_engine_of_names(tmp_path: Path) -> None:
    result = read(tmp_path, profile=json.dumps(times(("/a/Conv", 1.0), ("/b/Relu", 2.0))).encode())
    assert result.engine.verbosity == "names"
    assert [layer.name for layer in result.engine.layers] == ["/a/Conv", "/b/Relu"]
    assert {"engine-from-profile", "names-only-engine"} <= codes(result.engine)


def test_inputs_and_outputs_of_an_engine_of_names_come_from_the_log_of_its_run(tmp_path: Path) -> None:
    log = (
        run(command="--loadEngine=m.engine")
        + b"[I] Input binding for x with dimensions 1x8 and type fp16 is created.\n"
    )
    result = read(tmp_path, profile=json.dumps(times(("/a/Conv", 1.0))).encode(), profile_log=log)
    (binding,) = result.engine.bindings
    assert (binding.name, binding.is_input, binding.tensor and binding.tensor.size_bytes) == ("x", True, 16)


def test_a_log_without_layers_still_has_the_rest(tmp_path: Path) -> None:
    result = read(tmp_path, profile_log=run(device(), performance(2.0), command="--loadEngine=m.engine"))
    assert result.engine.layers == ()
    assert result.metadata.performance["Throughput"] == 500.0
    (note,) = [note for note in result.engine.notes if note.code == "no-layers"]
    assert note.severity == "problem"
    assert note.hint


@pytest.mark.parametrize(("name", "multiprocessors"), [("Tesla T4", 40), ("NVIDIA L4", None), ("NVIDIA A30", 56)])
def test_of_a_machine_with_several_gpus_only_the_runs_counts(
    name: str, multiprocessors: int | None, tmp_path: Path
) -> None:
    counts = {"NVIDIA A30": 56, "Tesla T4": 40}
    listed = [{"Name": one, "MULTIPROCESSOR_COUNT": count} for one, count in counts.items()]
    facts = written(tmp_path / "r.json", {"inference_options": {}, "device": {"Selected Device": name}})
    file = tmp_path / "d.json"
    file.write_text(json.dumps(listed), encoding="utf-8")
    result = read(tmp_path, graph=graph_file(tmp_path, chain("a")), profile_metadata=facts, device=file)
    assert device_facts(result.metadata.device).sm_count == multiprocessors
    assert not result.build_metadata.device
    assert ["device-unknown"] * (multiprocessors is None) == [note.code for note in result.notes]


def test_files_without_layers_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(TrexError) as caught:
        read(tmp_path, device=written(tmp_path / "d.json", {"ComputeCapability": "8.6"}))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("document", "word"),
    [
        (times(("a", 1.0)), "layer times"),
        ([{"startEnqMs": 0.0, "latencyMs": 1.0, "computeMs": 1.0}], "query times"),
        ({"performance_summary": {"Throughput": 1.0}}, "metadata"),
    ],
)
def test_another_kind_of_file_is_named(document: object, word: str) -> None:
    with pytest.raises(TrexError, match=word):
        read_graph_or_text(json.dumps(document).encode(), "m.json")


def test_rows_of_a_build_log_say_so(tmp_path: Path) -> None:
    rows = [
        "[01/02/2030-03:04:05] [V] [TRT] Engine Layer Information:",
        "Layer(CaskConvolution): conv, Tactic: 0x1, x (Half[1,8,4,4]) -> t (Half[1,8,4,4])",
        "Layer(Reformat): copy, Tactic: 0x0, t (Half[1,8,4,4]) -> y (Half[1,8,4,4])",
        "[01/02/2030-03:04:05] [V] [TRT] Engine generation completed in 1.5 seconds.",
    ]
    result = read(tmp_path, build_log=run(build(shape="model"), rows))
    assert result.engine.verbosity == "log"
    assert "engine-from-build-log" in codes(result.engine)
    conv, copy = result.engine.layers
    assert conv.weights_size_bytes is None
    assert copy.weights_size_bytes == 0
    assert conv.total_io_size_bytes == 512


def test_separators_inside_metadata_do_not_break_the_inspectors_text() -> None:
    tensors = "[ { Name: %s, Dimensions: [1,8], Format/Datatype: Half }]"
    text = (
        "Layers:\n"
        f"Name: a\x1eb, LayerType: kgen, Inputs: {tensors % 'x'}, Outputs: {tensors % 'y'}, TacticName: k, "
        "StreamId: 0, Metadata: [ONNX Layer: /a]\x1e[ONNX Layer: /b]\n\nBindings:\nx\ny\n"
    )
    (result,) = read_graph_or_text(text.encode(), "m.txt").layers
    assert result.name == "a+b"
    assert result.origins == ("/a", "/b")


def test_a_log_is_read_once(tmp_path: Path) -> None:
    log = tmp_path / "both.log"
    log.write_bytes(run(build(), device(), layer_dump("k"), performance(2.0)))
    result = read(tmp_path, build_log=log, profile_log=log)
    assert len(result.notes) == len(set(result.notes))
    assert [layer.name for layer in result.engine.layers] == ["k"]


def log_of_rows(*names: str) -> bytes:
    lines = [f"{STAMP} Layer Information:", f"{STAMP} Layers:"]
    tensors = "[ { Name: %s, Location: Device, Dimensions: [1,8], Format/Datatype: Half }]"
    lines += [
        f"Name: {name}, LayerType: kgen, Inputs: {tensors % 'x'}, Outputs: {tensors % 'y'}, TacticName: k"
        for name in names
    ]
    return "\n".join([*lines, "", "Bindings:", "x", "y", ""]).encode()


QUERIES = [{"startComputeMs": 1.0 * n, "computeMs": 1 + n / 100, "latencyMs": 1.5 + n / 100} for n in range(100)]


def test_a_folder_of_query_times_alone_is_an_engine_without_layers(tmp_path: Path) -> None:
    written(tmp_path / "m.timing.json", QUERIES)
    (files,) = find_engines(tmp_path)
    artifacts = read_artifacts(files)
    assert artifacts.engine.layers == () and artifacts.query_times is not None and len(artifacts.query_times) == 100
    (note,) = artifacts.engine.notes
    assert note.code == "no-layers" and "--exportLayerInfo" in note.hint


def test_query_times_make_no_engine_where_there_is_a_better_one(tmp_path: Path) -> None:
    written(tmp_path / "other.timing.json", QUERIES)
    (tmp_path / "inner").mkdir()
    graph_file(tmp_path / "inner", chain("a"))
    (files,) = find_engines(tmp_path)
    assert files.graph is not None and files.timing is None


@pytest.mark.parametrize("name", ["m.profile", "m.profile.json", "m.engine.profile"])
def test_a_folder_of_a_profile_alone_is_read(tmp_path: Path, name: str) -> None:
    written(tmp_path / name, times(("a", 1.0), ("b", 2.0)))
    (files,) = find_engines(tmp_path)
    artifacts = read_artifacts(files)
    assert [layer.name for layer in artifacts.engine.layers] == ["a", "b"] and artifacts.layer_times is not None


def test_a_log_of_polygraphy_run_gives_its_average_time(tmp_path: Path) -> None:
    runner = "trt-runner-N0-11/23/26-18:00:00"
    path = tmp_path / "run.log"
    path.write_text(
        f"[I] RUNNING | Command: polygraphy run m.onnx --trt\n[I] {runner}     | Activating and starting inference\n"
        f"[I] {runner}     | Completed 10 iteration(s) in 20.5 ms | Average inference time: 2.05 ms.\n",
        encoding="utf-8",
    )
    plan = load(path)
    (fact,) = [fact for fact in engine_facts(plan) if fact.label == "Inference time"]
    assert fact.value == 2.05 and "average of 10 iterations by Polygraphy" in fact.text


def small_model(path: Path) -> Path:
    """A network of one Relu with a symbolic output dimension."""
    onnx = pytest.importorskip("onnx")
    values = [onnx.helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", [2, 8]), ("y", [2, "n"]))]
    nodes = [onnx.helper.make_node("Relu", ["x"], ["y"])]
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", values[:1], values[1:])), path)
    return path


def io_lines() -> list[str]:
    return [
        f"{STAMP} Created input binding for x with dimensions 1x8",
        f"{STAMP} Created output binding for y with dimensions 1x4",
    ]


@pytest.mark.parametrize("listed", [["x", "y"], []])
def test_inputs_and_outputs_of_names_alone_come_from_a_log_or_the_model(tmp_path: Path, listed: list[str]) -> None:
    graph = graph_file(tmp_path, ["a", "b", "c"], listed)
    log = run(io_lines(), command="--loadEngine=m.engine")
    result = read(tmp_path, graph=graph, profile_log=log)
    assert [(b.name, b.is_input, b.tensor and b.tensor.shape) for b in result.engine.bindings] == [
        ("x", True, (1, 8)),
        ("y", False, (1, 4)),
    ]
    (note,) = [note for note in result.engine.notes if note.code == "bindings-from-log"]
    assert note.severity == "info" and "2 inputs and outputs are from" in note.message
    model = small_model(tmp_path / "m.onnx")
    result = read(tmp_path, graph=graph, onnx=model)
    assert [(b.name, b.tensor and b.tensor.shape) for b in result.engine.bindings] == [("x", (2, 8)), ("y", (2, None))]
    assert "bindings-from-model" in {note.code for note in result.engine.notes}


def test_a_model_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    graph = graph_file(tmp_path, ["a", "b", "c"], ["x", "y"])
    result = read(tmp_path, graph=graph, onnx=b"no model")
    assert all(binding.tensor is None for binding in result.engine.bindings)


def test_a_second_log_completes_what_the_first_lacks_if_its_layers_are_the_engines(tmp_path: Path) -> None:
    graph_file(tmp_path, ["a", "b", "c"], ["x", "y"])
    (tmp_path / "build.log").write_bytes(run(build(), device()))
    alone = read_artifacts(*find_engines(tmp_path))
    (tmp_path / "verbose.log").write_bytes(run(build("FP32"), performance(2.0)) + log_of_rows("a", "b", "c"))
    (tmp_path / "trtexec.log").write_bytes(run(performance(9.0)) + log_of_rows("p", "q", "r"))
    result = read_artifacts(*find_engines(tmp_path))
    assert alone.engine.verbosity == "names" and result.engine.verbosity == "detailed"
    assert [layer.precision for layer in result.engine.layers] == ["FP16"] * 3
    (note,) = [note for note in result.notes if note.code == "log-confirmed-by-layers"]
    assert note.message.startswith("verbose.log completes") and "3 of its 3 layers" in note.message


def test_of_two_logs_that_nothing_names_the_one_with_its_layers_is_used(tmp_path: Path) -> None:
    graph_file(tmp_path, ["a", "b", "c"], ["x", "y"], name="resnet")
    (tmp_path / "build.log").write_bytes(run(build(), device()) + log_of_rows("p", "q", "r"))
    (tmp_path / "verbose.log").write_bytes(run(build("FP32"), device()) + log_of_rows("a", "b", "c"))
    result = read_artifacts(*find_engines(tmp_path))
    assert result.engine.verbosity == "detailed" and result.build_metadata.build_options["Precision"] == "FP32"
    assert not any("verbose.log was left out" in note.message for note in result.notes)


def test_a_log_names_the_gpu_the_release_and_the_flags_of_a_graph_without_metadata(tmp_path: Path) -> None:
    graph_file(tmp_path, chain("a", "b"))
    (tmp_path / "build.log").write_bytes(run(build(), device(), performance(2.0)))
    plan = load(tmp_path)
    assert plan.engine.tensorrt_version.startswith("10.16") and plan.device_facts.name == "NVIDIA A30"
    assert plan.builder_cfg["Precision"] == "FP32+FP16"
    assert plan.metadata.latency["GPU Compute Time"].median_ms == 2.0


def test_telemetry_of_a_slice_names_its_card(tmp_path: Path) -> None:
    telemetry = {
        "schema": "trex.monitor/1",
        "gpu": {"name": "NVIDIA A30"},
        "samples": {"time_s": [1], "sm_clock_mhz": [3]},
    }
    result = read(
        tmp_path,
        graph=graph_file(tmp_path, chain("a", "b")),
        profile_log=run([line.replace("NVIDIA A30", "NVIDIA A30 MIG 1g.6gb") for line in device()], performance(1.0)),
        monitor=json.dumps(telemetry).encode(),
    )
    assert result.telemetry is not None and "MIG" in str(result.metadata.device)


@pytest.mark.parametrize(("gpu", "is_used"), [("NVIDIA H100 80GB HBM3", False), ("NVIDIA A30", True), (None, True)])
def test_telemetry_of_another_gpu_is_not_used(gpu: str | None, is_used: bool, tmp_path: Path) -> None:
    telemetry = {"schema": "trex.monitor/1", "gpu": {"name": gpu}, "samples": {"time_s": [1], "sm_clock_mhz": [300]}}
    result = read(
        tmp_path,
        graph=graph_file(tmp_path, chain("a", "b")),
        profile_log=run(device(), performance(1.0)),
        monitor=json.dumps(telemetry).encode(),
    )
    assert (result.telemetry is not None) is is_used
    notes = [note for note in result.notes if note.code == "telemetry-of-another-gpu"]
    assert bool(notes) is not is_used and all("H100" in note.message and "A30" in note.message for note in notes)


@pytest.mark.parametrize(
    ("name", "first", "second", "is_used"),
    [
        ("NVIDIA A30", "0", "1", False),
        ("NVIDIA A30", "a", "A", True),
        ("NVIDIA A30", "0", "", True),  # hashed, or not reported
        ("NVIDIA A30 MIG 1g.6gb", "0", "1", True),
    ],
)
def test_telemetry_of_another_gpu_of_the_same_name_is_not_used(
    name: str, first: str, second: str, is_used: bool, tmp_path: Path
) -> None:
    uuids = [f"GPU-{digit * 8}-{digit * 4}-{digit * 4}-{digit * 4}-{digit * 12}" for digit in (first, second)]
    lines = [f"{STAMP} Selected Device: {name}", f"{STAMP} Selected Device UUID: {uuids[0]}", f"{STAMP}"]
    gpu = {"name": name, "uuid": uuids[1]}
    telemetry = {"schema": "trex.monitor/1", "gpu": gpu, "samples": {"time_s": [1], "sm_clock_mhz": [300]}}
    result = read(
        tmp_path,
        graph=graph_file(tmp_path, chain("a", "b")),
        profile_log=run([f"{STAMP} === Device Information ===", *lines], performance(1.0)),
        monitor=json.dumps(telemetry).encode(),
    )
    assert (result.telemetry is not None) is is_used
    assert ("telemetry-of-another-gpu" in [note.code for note in result.notes]) is not is_used


def inference(shape: str, streams: str = "1") -> list[str]:
    return [
        f"{STAMP} === Inference Options ===",
        f"{STAMP} Input inference shape: x={shape}",
        f"{STAMP} Streams: {streams}",
    ]


def layer_table(milliseconds: float) -> list[str]:
    return [
        f"{STAMP} === Profile (10 iterations ) ===",
        f"{STAMP}    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer",
        f"{STAMP}     {10 * milliseconds:.3f}     {milliseconds:.3f}     {milliseconds:.3f}     100.0   k",
        f"{STAMP}",
    ]


@pytest.mark.parametrize(("shape", "is_used"), [("4x8", False), ("2x8", True)])
def test_latency_and_options_are_of_one_run(shape: str, is_used: bool, tmp_path: Path) -> None:
    result = read(
        tmp_path,
        build_log=run(build(), inference("2x8", "3"), layer_dump("k"), performance(2.0)),
        profile_log=run(inference(shape), layer_table(1.0)),
    )
    assert bool(result.metadata.latency) is is_used
    assert result.metadata.inference_options == {
        "Input inference shape": f"x={shape}",
        "Streams": "3" if is_used else "1",
    }
    left_out = [note.message for note in result.notes if note.code == "times-of-another-run"]
    assert left_out == ["left out: latency of a run at other shapes"] * (not is_used)


@pytest.mark.parametrize(("shape", "is_used"), [("4x8", False), ("2x8", True)])
def test_layer_times_are_at_the_shapes_of_the_latency(shape: str, is_used: bool, tmp_path: Path) -> None:
    result = read(
        tmp_path,
        build_log=run(build(), inference("2x8"), layer_dump("k"), layer_table(1.0)),
        profile_log=run(inference(shape), performance(2.0)),
    )
    assert bool(result.layer_times) is is_used
    assert ("times-of-another-run" in [note.code for note in result.notes]) is not is_used


@pytest.mark.parametrize(
    ("day", "command", "is_problem"),
    [
        ("12/30/2029", "--loadEngine=m.engine", True),
        ("01/01/2030", "--loadEngine=m.engine", False),
        ("01/09/2030", "--loadEngine=m.engine", False),
        ("01/01/1970", "--loadEngine=m.engine", False),
        ("13/41/2029", "--loadEngine=m.engine", False),
        ("12/30/2029", "--onnx=m.onnx", False),
    ],
)
def test_a_run_of_an_engine_before_it_was_built(day: str, command: str, is_problem: bool, tmp_path: Path) -> None:
    log = run(inference("2x8"), performance(2.0), command=command).replace(b"01/02/2030", day.encode())
    result = read(tmp_path, build_log=run(build(), layer_dump("k")), profile_log=log)
    messages = [note.message for note in result.notes if note.code == "files-state-two-facts"]
    assert (
        messages
        == ["the log of the run is of 2029-12-30, the engine was built on 2030-01-02: the run is of an earlier engine"]
        * is_problem
    )


@pytest.mark.parametrize(("own", "is_problem"), [([], True), (performance(2.0), False)])
def test_times_of_files_with_a_log_that_ends_before_its_own_are_a_problem(
    own: list[str], is_problem: bool, tmp_path: Path
) -> None:
    result = read(
        tmp_path,
        graph=graph_file(tmp_path, chain("a", "b")),
        profile=written(tmp_path / "m.profile.json", times(("a", 1.0), ("b", 1.0))),
        profile_log=run(inference("2x8"), own).rpartition(b"&&&&")[0],
    )
    assert ("times-of-an-earlier-run" in [note.code for note in result.notes]) is is_problem


def built_again(command: str = "--onnx=m.onnx --saveEngine=m.engine --skipInference") -> bytes:
    built = [f"{STAMP}", f"{STAMP} Engine built in 2.5 sec."]
    exported = "--onnx=m.onnx --exportProfile=out/m.profile.json"
    return run(build(), built, layer_dump("k"), performance(2.0), command=exported) + run(
        build(), built, command=command
    )


@pytest.mark.parametrize(
    ("command", "latency_ms"),
    [
        ("--onnx=m.onnx --saveEngine=m.engine --skipInference", None),
        ("--onnx=m.onnx --timingCacheFile=x.cache --skipInference", 2.0),  # it left no file of an engine
        ("--loadEngine=m.plan --skipInference", 2.0),
    ],
)
def test_times_before_a_build_in_the_same_log_are_not_of_its_engine(
    command: str, latency_ms: float | None, tmp_path: Path
) -> None:
    result = read(tmp_path, build_log=built_again(command))
    latency = result.metadata.latency.get("GPU Compute Time")
    assert (latency and latency.median_ms) == latency_ms
    left_out = [note.message for note in result.notes if note.code == "times-of-another-run"]
    assert left_out == ["left out: latency of a run before the engine was built again"] * (latency_ms is None)


@pytest.mark.parametrize(
    ("later", "is_problem"), [(b"", True), (run(command="--loadEngine=m.plan --exportProfile=m.profile.json"), False)]
)
def test_times_exported_before_the_last_build_are_a_problem(later: bytes, is_problem: bool, tmp_path: Path) -> None:
    result = read(
        tmp_path,
        graph=graph_file(tmp_path, chain("a", "b")),
        profile=written(tmp_path / "m.profile.json", times(("a", 1.0), ("b", 1.0))),
        build_log=built_again() + later,
    )
    notes = [note for note in result.notes if note.code == "times-of-an-earlier-run"]
    assert [note.severity for note in notes] == ["problem"] * is_problem


def test_of_two_logs_with_the_engines_layers_only_one_gpu_is_used(tmp_path: Path) -> None:
    graph_file(tmp_path, ["a", "b", "c"], ["x", "y"])
    (tmp_path / "trtexec.log").write_bytes(run(device()) + log_of_rows("a", "b", "c"))
    other = [f"{STAMP} === Device Information ===", f"{STAMP} Selected Device: NVIDIA H100", f"{STAMP}"]
    (tmp_path / "verbose.log").write_bytes(run(other, performance(2.0)) + log_of_rows("a", "b", "c"))
    result = read_artifacts(*find_engines(tmp_path))
    assert not result.metadata.latency and result.metadata.device == {}
    assert result.build_metadata.device["Selected Device"] == "NVIDIA A30"
    (note,) = [note for note in result.notes if note.code == "other-runs-in-log"]
    assert note.message.endswith("line 1 of trtexec.log, and left out: it ran on another GPU")
