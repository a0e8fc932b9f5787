"""Logs of every version range, generated and real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.ingest.logs.run_metadata import MIXED_RUNS
from trex.ingest.logs.trtexec_log import LogContents, LogRun, read_log

CLOCK = "[08/17/2022-07:51:05]"


def info(text: str, severity: str = "I") -> str:
    return "".join(f"{CLOCK} [{severity}] {line}\n" for line in text.split("\n"))


def read(text: str) -> LogContents:
    return read_log(text.encode(), "x.log")


def run_of(text: str) -> LogRun:
    (run,) = read(text).runs
    return run


def codes(run: LogRun) -> list[str]:
    return [note.code for note in run.all_notes]


def banner(kind: str, version: int, command: str = "trtexec --onnx=m.onnx") -> str:
    build = " [b72]" if version >= 100400 else ""
    return f"&&&& {kind} TensorRT.trtexec [TensorRT v{version}]{build} # {command}\n"


OPTIONS_8_2 = info(
    "=== Model Options ===\nFormat: ONNX\nModel: m.onnx\nOutput:\n=== Build Options ===\nMax batch: explicit batch\n"
    "Workspace: 16 MiB\nPrecision: FP32+FP16\nLoad engine: \nInput build shape: a=1+2+3\nInput build shape: b=4+5+6\n"
    "=== System Options ===\nDevice: 0\nDLACore: \nPlugins:\n=== Inference Options ===\nBatch: Explicit\n"
    "Streams: 1\nInputs:\nx<-x.bin\n=== Reporting Options ===\nPercentile: 99\nDump refittable layers:Disabled\n"
)
DEVICE_8_2 = info(
    "\n=== Device Information ===\nSelected Device: NVIDIA A100\nSMs: 108\nCompute Clock Rate: 1.41 GHz\n"
    "Memory Bus Width: 5120 bits (ECC enabled)\n\nTensorRT version: 8.2.3"
)
DEVICE_9_1 = info(
    '=== Device Information ===\nAvailable Devices: \n  Device 0: "NVIDIA H100" UUID: GPU-1\n'
    "Selected Device: NVIDIA H100\nSelected Device ID: 0\nApplication Compute Clock Rate: 1.755 GHz\n\n"
    "Note: The application clock rates do not reflect the actual clock rates.\n\nTensorRT version: 9.1.0"
)
SUMMARY_8_2 = info(
    "\n=== Performance summary ===\nThroughput: 100 qps\n"
    "Latency: min = 1 ms, max = 4 ms, mean = 2 ms, median = 1.5 ms, percentile(99%) = 3 ms\n"
    "End-to-End Host Latency: min = 1 ms, max = 4 ms, mean = 2 ms, median = 1.5 ms, percentile(99%) = 3 ms\n"
    "Total Host Walltime: 3.01 s\nTotal GPU Compute Time: 2.9 s\nExplanations of the performance metrics are printed.\n"
)


def test_8_2_run() -> None:
    run = run_of(banner("RUNNING", 8203) + OPTIONS_8_2 + DEVICE_8_2 + SUMMARY_8_2 + banner("PASSED", 8203))
    facts = run.metadata
    assert (facts.tensorrt_version, run.passed, facts.command_line) == ("8.2.3", True, "trtexec --onnx=m.onnx")
    assert facts.model_options == {"Format": "ONNX", "Model": "m.onnx", "Output": ""}
    assert facts.build_options["Precision"] == "FP32+FP16"
    assert facts.build_options["Input build shape"] == "a=1+2+3, b=4+5+6"
    assert facts.system_options == {"Device": "0", "DLACore": "", "Plugins": ""}
    assert facts.inference_options["Inputs"] == "x<-x.bin"
    assert facts.reporting_options == {"Percentile": "99", "Dump refittable layers": "Disabled"}
    assert facts.device["Memory Bus Width"] == "5120 bits (ECC enabled)"
    assert facts.performance["Throughput"] == 100
    assert facts.performance["Latency"] == [1, 4, 2, 1.5, 3]
    assert facts.performance["Total GPU Compute Time"] == 2.9
    assert dict(facts.latency["End-to-End Host Latency"].percentiles) == {99.0: 3.0}
    assert facts.sources == ("x.log",)
    assert codes(run) == []


def test_device_keys_of_9_1_and_later() -> None:
    device = run_of(DEVICE_9_1).metadata.device
    assert device == {
        "Available Devices": "",
        "Device 0": '"NVIDIA H100" UUID: GPU-1',
        "Selected Device": "NVIDIA H100",
        "Selected Device ID": "0",
        "Application Compute Clock Rate": "1.755 GHz",
    }


def test_build_options_of_a_loaded_engine_are_ignored() -> None:
    by_option = run_of(info("=== Build Options ===\nPrecision: FP32\nLoad engine: m.plan"))
    by_command = run_of(
        banner("RUNNING", 8601, "trtexec --loadEngine=m.plan") + info("=== Build Options ===\nPrecision: FP32")
    )
    for run in (by_option, by_command):
        assert run.metadata.build_options == {}
        assert "build-options-of-a-loaded-engine" in codes(run)


def test_the_trap_of_the_workspace_in_bytes() -> None:
    text = "=== Build Options ===\nMemory Pools: workspace: {}, dlaSRAM: default"
    assert codes(run_of(info(text.format("0.000976562 MiB")))) == ["tiny-workspace"]
    assert codes(run_of(info(text.format("1024 MiB")))) == codes(run_of(info(text.format("default")))) == []


def test_profile_table_ends_at_the_first_blank_message() -> None:
    run = run_of(
        info(
            "\n=== Profile (7 iterations ) ===\n   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer\n"
            "       7.00       1.0000       1.0000      50.0   {ForeignNode[a, b...c -> d]}\n"
            "       7.00          nan       1.0000      50.0   b  c\n"
            "      14.00       2.0000       2.0000     100.0   Total\n\nStarting inference"
        )
    )
    assert run.layer_times
    assert [record.name for record in run.layer_times.records] == ["{ForeignNode[a, b...c -> d]}", "b  c"]
    assert run.layer_times.records[1].average_ms is None
    assert run.layer_times.count == 7
    assert codes(run) == ["profile-from-console"]


DUMP = (
    "Name: a, LayerType: kgen, Inputs: [], Outputs: [ { Name: y, Dimensions: [1], Format/Datatype: Half }], "
    "StreamId: 0\n"
    "Name: b, LayerType: NoOp, Inputs: [], Outputs: []\n"
)


def test_layer_information_of_trtexec() -> None:
    run = run_of(info("Layer Information:\nLayers:") + DUMP + "\nBindings:\ny\n" + info("Engine loaded in 2 sec."))
    assert run.raw_layers
    assert [layer["Name"] for layer in run.raw_layers if isinstance(layer, dict)] == ["a", "b"]
    assert (run.bindings, dict(run.metadata.milestones)) == (["y"], {"engine_loaded_s": 2})


def test_names_only_layer_information() -> None:
    run = run_of(
        info("Layer Information:\nLayers:") + "conv1\nrelu 2\n\nBindings:\nx\ny\n" + info("Starting inference")
    )
    assert (run.raw_layers, run.bindings) == (["conv1", "relu 2"], ["x", "y"])


def test_a_warning_in_the_middle_of_the_layers() -> None:
    first, second = DUMP.splitlines(keepends=True)
    run = run_of(info("Layer Information:\nLayers:") + first + info("slow", "W") + second + "\nBindings:\ny\n")
    assert (len(run.raw_layers or []), run.bindings) == (2, ["y"])


def test_layers_of_other_programs_are_ignored() -> None:
    run = run_of(info("Starting") + "Layers:\nconv2d (Conv2D)\n\nTotal params: 3\n")
    assert run.raw_layers is None


def test_engine_layer_information_and_bindings() -> None:
    rows = (
        "Layer(NoOp): a, Tactic: 0x0, x (Half[1]) -> y (Half[1])\nLayer(NoOp): b, Tactic: 0x0, y (Half[1]) -> z (F\n?\n"
    )
    run = run_of(
        f"{CLOCK} [V] [TRT] Engine Layer Information:\n{rows}"
        + f"{CLOCK} [I] [TRT] [MemUsageStats] Peak\n"
        + info("Input binding for x with dimensions 1x2 and type fp16 is created.")
    )
    assert [row["Name"] for row in run.layer_rows or []] == ["a", "b"]
    assert run.bindings == ["x"]
    assert run.io_tensors[0].shape == (1, 2)
    assert [(note.code, note.where) for note in run.notes] == [("unreadable-layer-row", "x.log:3")]


IMPORT = (
    f"{CLOCK} [V] [TRT] Adding network input: x with dtype: float32, dimensions: (-1, 1, 28, 28)\n"
    f"{CLOCK} [V] [TRT] Marking y_6 as output: y\n{CLOCK} [V] [TRT] Marking z_10 as output: z\n"
)
ROWS = (
    f"{CLOCK} [V] [TRT] Engine Layer Information:\nLayer(NoOp): a, Tactic: 0x0, x (Half[1]) -> y (Half[1])\n"
    "Layer(NoOp): b, Tactic: 0x0, y (Half[1]) -> z (Half[1])\n"
)


def test_bindings_come_from_the_importer_without_other_lines() -> None:
    assert run_of(IMPORT + ROWS).bindings == ["x", "y", "z"]
    created = info("Input binding for x with dimensions 1x2 and type fp16 is created.")
    assert run_of(IMPORT + ROWS + created).bindings == ["x"]


def test_a_second_network_has_its_own_bindings() -> None:
    other = IMPORT.replace("input: x", "input: u").replace("[V] [TRT]", "[TRT] [V]")
    first, second = read(IMPORT + ROWS + other + ROWS).runs
    assert (first.bindings[0], second.bindings[0]) == ("x", "u")


def test_runs_are_split_at_their_banner() -> None:
    one = banner("RUNNING", 8203) + OPTIONS_8_2 + banner("PASSED", 8203)
    contents = read("a preamble\n" + one + banner("RUNNING", 101600) + info("x", "E") + banner("FAILED", 101600))
    first, second = contents.runs
    assert (first.passed, second.passed) == (True, False)
    assert (first.metadata.tensorrt_version, second.metadata.tensorrt_version) == ("8.2.3", "10.16.0")
    assert codes(second) == ["run-failed", "error-in-log"]
    assert second.metadata.model_options == {}
    assert second.first_line == 1 + first.first_line + one.count("\n")
    assert [note.code for note in contents.notes] == ["several-runs-in-log"]


def test_runs_without_banners_are_split_where_the_options_begin_again() -> None:
    first, second = read(OPTIONS_8_2 + SUMMARY_8_2 + OPTIONS_8_2 + DEVICE_8_2).runs
    assert (len(first.metadata.latency), len(second.metadata.latency)) == (2, 0)
    assert (len(first.metadata.device), len(second.metadata.device)) == (0, 4)


def test_two_engines_of_a_python_log() -> None:
    block = (
        "[TRT] [V] Engine Layer Information:\nLayer(NoOp): {}, Tactic: 0x0, x (Half[1]) -> y (Half[1])\n[TRT] [I] .\n"
    )
    contents = read(block.format("a") + block.format("b"))
    assert [run.layer_rows[0]["Name"] for run in contents.runs if run.layer_rows] == ["a", "b"]


def test_an_interrupted_run() -> None:
    run = run_of(banner("RUNNING", 8601) + OPTIONS_8_2)
    assert (run.passed, codes(run)) == (None, ["run-unfinished"])


def test_a_library_of_another_version() -> None:
    run = run_of(banner("RUNNING", 8601) + DEVICE_8_2 + banner("PASSED", 8601))
    assert (run.metadata.tensorrt_version, codes(run)) == ("8.2.3", [])


def test_version_7_is_out_of_scope_and_says_so() -> None:
    run = run_of(OPTIONS_8_2 + info("Host Latency\nmin: 0.6 ms (end to end 1.0 ms)"))
    assert codes(run) == ["tensorrt-7-log"]
    assert run.metadata.build_options["Workspace"] == "16 MiB"
    assert codes(run_of(banner("PASSED", 7203))) == ["tensorrt-7-log"]


HELP = "=== Model Options ===\n  --onnx=<file>    ONNX model\n      Note: see\n=== Help ===\n  --help, -h   Print\n"


def test_help_is_not_a_run() -> None:
    run = run_of(banner("RUNNING", 8500, "trtexec") + HELP)
    assert (codes(run), run.metadata.model_options) == (["help-text"], {})


def test_a_wrong_option_prints_help_but_is_a_failure() -> None:
    run = run_of(banner("RUNNING", 110100) + HELP + info("Unknown option: --fp16", "E"))
    assert codes(run) == ["run-failed", "error-in-log"]
    assert run.metadata.notes[0].hint == "Unknown option: --fp16"


def test_prefixes_cut_off_colors_and_line_ends() -> None:
    text = banner("RUNNING", 8203) + OPTIONS_8_2 + DEVICE_8_2 + SUMMARY_8_2 + banner("PASSED", 8203)
    plain = run_of(text)
    bare = run_of(text.replace(f"{CLOCK} [I] ", ""))
    colored = run_of(text.replace("[I]", "\x1b[32m[I]\x1b[0m").replace("\n", "\r\n"))
    wide = read_log(text.encode("utf-16"), "x.log").runs[0]
    assert plain.metadata == bare.metadata == colored.metadata == wide.metadata


@pytest.mark.parametrize("data", [b"", b"hello\n", b"\x00\x01\x02" * 50, b'{"Layers": []}', b"=== a ===\n"])
def test_other_files_are_refused_with_a_next_step(data: bytes) -> None:
    with pytest.raises(TrexError) as caught:
        read_log(data, "x.log")
    assert caught.value.hint
    assert "x.log" in str(caught.value)


PIECES = st.sampled_from(
    ["[I] ", "[W] ", "[TRT] ", CLOCK + " [I] ", "\n", "\n\n", "=== Model Options ===", "--x", "{", "}]", "a: b",
     "=== Profile (3 iterations ) ===", "   Time(ms)   Layer", "1.0   x", "Total", "=== Performance summary ===",
     "min = 1 ms", "Layers:", "Bindings:", "Layer Information:", "Engine Layer Information:", "Name: a",
     ", LayerType: b", ", Inputs: [", ", Inputs: x", "Layer(A): b", ", Tactic: 0x1, ", "x (Half[1])", " -> ",
     "&&&& RUNNING T # x", "&&&& PASSED T", "\x1e", "\x1b[0m", "TensorRT version: 1",
     "Input binding for x with dimensions 1x2"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=300)
def test_any_mixture_of_log_pieces_is_read_or_refused(text: str) -> None:
    try:
        contents = read(text)
    except TrexError:
        return
    assert contents.runs
    assert all(note.severity for note in contents.all_notes)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read_log(b"[I] x\n" + data, "x.log")
    except TrexError as error:
        assert error.where


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["Inputs: x", "x<-", "=== Model Options ===", "Layers:", "more", "", "* hot", "&&&& RUNNING T"]
)
def test_very_many_lines_are_read(line: str) -> None:
    for severity in ("I", "W"):
        for opening in ("=== Model Options ===\nInputs: a", "=== Profile (1 iterations ) ===", "Layers:"):
            assert read(info(opening) + f"[{severity}] {line}\n" * 8000 + f"{line}\n" * 8000).runs


def test_a_real_output_that_a_layer_also_reads_is_an_output(shared_logs: Path) -> None:
    plan = load(shared_logs / "trt10.16-trtexec-02.log")
    inputs, outputs = plan.binding_tensors()
    assert ([t.name for t in inputs], [t.name for t in outputs]) == (["x"], ["y", "z"])


def test_real_profile_table(shared_logs: Path) -> None:
    (run,) = read_log((shared_logs / "trt10.16-trtexec-05.log").read_bytes(), "5").runs
    times = run.layer_times
    assert times
    assert (times.count, len(times.records)) == (20079, 16)
    assert sum(record.average_ms or 0 for record in times.records) == pytest.approx(0.0731, abs=16 * 5e-5)
    assert sum(record.total_ms or 0 for record in times.records) == pytest.approx(1468.17, abs=0.1)
    assert sum(record.share_pct or 0 for record in times.records) == pytest.approx(100, abs=0.8)
    assert {"auxiliary-streams", "no-end-to-end-timing"} <= set(codes(run))


def test_real_layer_dump_is_the_json_of_the_same_engine(shared_logs: Path) -> None:
    (run,) = read_log((shared_logs / "trt10.16-trtexec-04.log").read_bytes(), "4").runs
    expected = json.loads((shared_logs / "trt10.16-exportLayerInfo.graph.json").read_text())
    assert {"Layers": run.raw_layers, "Bindings": run.bindings} == expected


def test_all_real_logs_as_one(shared_logs: Path) -> None:
    files = [f for f in sorted(shared_logs.glob("trt*.log")) if f.read_bytes().startswith(b"&&&& RUNNING")]
    contents = read_log(b"".join(f.read_bytes().rstrip(b"\n") + b"\n" for f in files), "all")
    assert len(contents.runs) == len(files) > 5
    for file, run in zip(files, contents.runs, strict=True):
        (alone,) = read_log(file.read_bytes(), file.name).runs
        assert (run.metadata.tensorrt_version, run.passed) == (alone.metadata.tensorrt_version, alone.passed)


def test_times_of_a_second_runner_of_polygraphy_are_left_out() -> None:
    lines = "".join(
        f"[I] trt-runner-N{number}-18:00:00 | Completed 10 iteration(s) in 12 ms | Average inference time: {ms} ms.\n"
        for number, ms in enumerate((8.0, 2.0))
    )
    run = run_of(lines)
    assert run.metadata.milestones["polygraphy_average_ms"] == 8.0
    (note,) = run.all_notes
    assert note.code == "other-runners" and "trt-runner-N1" in note.message


@pytest.mark.parametrize("second", ["trtexec --loadEngine=b.engine", "trtexec --onnx=m.onnx"])
def test_two_runs_at_the_same_time(second: str) -> None:
    """Of two engines, or of one on two GPUs; their lines come in any order."""
    running = banner("RUNNING", 100400) + banner("RUNNING", 100400, second)
    ended = SUMMARY_8_2 + banner("PASSED", 100400) + SUMMARY_8_2.replace("1.5 ms", "7 ms")
    for text in (running + OPTIONS_8_2 + ended + banner("PASSED", 100400, second), running + OPTIONS_8_2 + ended):
        assert MIXED_RUNS in codes(read(text).runs[-1])
    whole = banner("RUNNING", 100400) + OPTIONS_8_2 + SUMMARY_8_2 + banner("PASSED", 100400)
    doubled = "".join(2 * line for line in whole.splitlines(keepends=True))
    assert MIXED_RUNS not in [note.code for note in read(doubled).all_notes]
    in_turn = "".join(line + line.replace("1.5 ms", "7 ms") for line in whole.splitlines(keepends=True))
    assert MIXED_RUNS in [note.code for note in read(in_turn).all_notes]
    cut = banner("RUNNING", 100400)[:-3] + "\n" + OPTIONS_8_2 + SUMMARY_8_2 + banner("PASSED", 100400)
    assert MIXED_RUNS not in codes(run_of(cut))
    apart = (banner("RUNNING", 100400, name) + OPTIONS_8_2 + SUMMARY_8_2 for name in ("trtexec --onnx=a.onnx", second))
    assert not any(MIXED_RUNS in codes(run) for run in read("".join(apart)).runs)


def test_a_number_with_an_ambiguous_comma_is_noted_with_its_line() -> None:
    run = run_of(
        info("=== Performance summary ===") + info("Throughput: 1,155.6 qps") + info("Total GPU Compute Time: 3,001 s")
    )
    (note,) = [note for note in run.all_notes if note.code == "number-with-comma"]
    assert note.where == "x.log:3" and "not read: Total GPU Compute Time: 3,001 s" in note.message
    assert run.metadata.performance["Throughput"] == 1155.6


def test_a_log_of_nothing_but_beginnings_is_refused() -> None:
    line = b"&&&& RUNNING TensorRT.trtexec [TensorRT v8401] # trtexec\n"
    assert len(read_log(line * 100, "run.log").runs) == 100
    with pytest.raises(TrexError, match="more than 20,000 runs"):
        read_log(line * 20_002, "run.log")
