"""Logs from pipes, containers and editors: mixed, wrapped, re-encoded and interleaved."""

from __future__ import annotations

import gzip
import re
import subprocess
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import SHARED
from tests.mocks import write_model
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.logs.trtexec_log import LogRun, read_log
from trex.ingest.source import read_blocks

CLOCK = "[08/17/2022-07:51:05]"
BANNER = "TensorRT.trtexec [TensorRT v101600] [b72] # trtexec --onnx=m.onnx --verbose\n"


def logged(text: str, severity: str = "I") -> str:
    return "".join(f"{CLOCK} [{severity}] {line}\n" for line in text.split("\n"))


WHOLE = (
    f"&&&& RUNNING {BANNER}"
    + logged("=== Model Options ===\nFormat: ONNX\nModel: m.onnx\n=== Build Options ===\nPrecision: FP32+FP16")
    + logged("--plugins flag has been deprecated, use --staticPlugins flag instead.", "W")
    + logged("Memory Pools: workspace: 64 MiB\n=== Device Information ===\nSelected Device: NVIDIA A100\n\n")
    + logged("TensorRT version: 10.16.0")
    + logged("[TRT] Marking y_6 as output: y\n[TRT] Original: 9 layers\n[TRT] Tactic: 0x1 Time: 0.25", "V")
    + logged("[TRT] Layer 'a' (SHUFFLE): Unsupported on DLA. Switching this layer's device type to GPU.", "W")
    + logged("[TRT] Tactic: 0x2 skipped. Scratch requested: 200704, available: 1024\n[TRT] Tactic: 0x1 Time: 1", "V")
    + logged("[TRT] [MemUsageStats] Peak memory usage of TRT CPU/GPU memory allocators: CPU 6 MiB, GPU 37 MiB")
    + logged("[TRT] Engine Layer Information:", "V")
    + "Layer(CaskConvolution): conv1 + relu, Tactic: 0xa1, x (Half[1,3]) -> t (Half[1,8])\n"
    + "Layer(NoOp): shuffle, Tactic: 0x0, t (Half[1,8]) -> y (Half[8])\n"
    + logged("Created engine with size: 6.37421 MiB\nEngine built in 15.1233 sec.")
    + logged("Dynamic dimensions required for input: x. Automatically overriding shape to: 1x3", "W")
    + logged("Input binding for x with dimensions 1x3 and type fp16 is created.")
    + logged("Layer Information:\nLayers:")
    + "Name: a, LayerType: NoOp, Inputs: [], Outputs: [ { Name: y, Dimensions: [8], Format/Datatype: Half }]\n"
    + "\nBindings:\nx\ny\n"
    + logged("\n=== Performance summary ===\nThroughput: 100 qps")
    + logged("GPU Compute Time: min = 1 ms, max = 4 ms, mean = 2 ms, median = 1.5 ms, percentile(99%) = 3 ms")
    + logged("Enqueue Time: min = 1 ms, max = 4 ms, mean = 2 ms, median = 1.4 ms, percentile(99%) = 3 ms")
    + logged("* Throughput may be bound by Enqueue Time rather than GPU Compute.\n  Use a graph.", "W")
    + logged("\n=== Profile (7 iterations ) ===\n   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer")
    + logged(
        "       7.00       1.0000       1.0000     100.0   a\n       7.00       1.0000       1.0000     100.0   Total"
    )
    + logged("\n")
    + f"&&&& PASSED {BANNER}"
)


def facts(run: LogRun) -> dict[str, Any]:
    """All facts of a run except line numbers."""
    metadata = {name: getattr(run.metadata, name) for name in run.metadata.__slots__ if name != "notes"}
    times = run.layer_times
    return {
        **metadata,
        "passed": run.passed,
        "times": times and (times.count, times.records),
        "raw_layers": run.raw_layers,
        "rows": run.layer_rows,
        "bindings": run.bindings,
        "io": run.io_tensors,
        "milestones": dict(run.metadata.milestones),
        "notes": sorted(map(plain, run.all_notes)),
    }


def plain(note: Note) -> tuple[str, ...]:
    return (note.code, note.severity, note.message, note.hint)


def facts_of(data: bytes) -> dict[str, Any]:
    (run,) = read_log(data, "x").runs
    return facts(run)


def test_the_whole_log_contains_every_part() -> None:
    facts = facts_of(WHOLE.encode())
    assert all(facts[name] for name in ("model_options", "build_options", "device", "latency", "times", "rows", "io"))
    assert [code for code, *_ in facts["notes"]] == [
        "deprecated-option", "dla-fallback", "enqueue-bound", "profile-from-console", "shape-chosen-by-trtexec",
        "tactics-skipped-for-workspace"
    ]  # fmt: skip


def mixed(text: str, cuts: Sequence[int]) -> str:
    """The log as the two streams write it into one file: warnings at once, the rest in blocks that end at the cuts.

    cuts: in thousandths of the distance from where the warning before was put to where this one stood.
    """
    stdout, warnings = "", []
    # Not splitlines: names of fused layers hold 0x1E, which is the end of a line to it.
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        if line[24:25] in ("W", "E") and line.startswith("["):
            warnings.append((len(stdout), line))
        else:
            stdout += line
    parts, start = [], 0
    for number, (end, line) in enumerate(warnings):
        to = start + (end - start) * cuts[number % len(cuts)] // 1000
        parts += [stdout[start:to], line]
        start = to
    return "".join((*parts, stdout[start:]))


cut_places = st.lists(st.integers(0, 1000), min_size=1, max_size=8)


@pytest.mark.slow
@given(cut_places)
@settings(max_examples=300)
def test_interleaved_streams_lose_nothing(cuts: list[int]) -> None:
    assert facts_of(mixed(WHOLE, cuts).encode()) == facts_of(WHOLE.encode())


@cache
def real_logs() -> dict[str, str]:
    """Real logs of one run each, whose warnings are a separate stream."""
    names = ("trt8.6-build-verbose", "trt10.16-trtexec-01", "trt10.16-trtexec-02", "trt10.16-trtexec-08")
    files = [SHARED / "logs" / f"{name}.log" for name in names]
    return {file.name: file.read_text("utf-8") for file in files if file.is_file()}


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_interleaved_streams_of_real_logs_lose_nothing(data: st.DataObject) -> None:
    logs = real_logs()
    if not logs:
        pytest.skip("real logs are absent")
    text = logs[data.draw(st.sampled_from(sorted(logs)))]
    assert facts_of(mixed(text, data.draw(cut_places)).encode()) == facts_of(text.encode())


def colored(text: str) -> bytes:
    return text.replace(" [W]", " \x1b[1;33m[W]").replace("\n", "\x1b[0m\n").encode()


def with_progress(text: str) -> bytes:
    return text.replace("\n", "\n 10%|#   |\r 50%|##  |\r", 30).encode()


WRAPPINGS: dict[str, Callable[[str], bytes]] = {
    "windows": lambda text: text.replace("\n", "\r\n").encode(),
    "windows twice": lambda text: text.replace("\n", "\r\r\n").encode(),
    "utf-16": lambda text: text.replace("\n", "\r\n").encode("utf-16"),
    "utf-16 without a mark": lambda text: text.encode("utf-16-be"),
    "byte order mark": lambda text: text.encode("utf-8-sig"),
    "colors": colored,
    "docker": lambda text: b"".join(b"trt-1  | " + line for line in text.encode().splitlines(keepends=True)),
    "progress bars": with_progress,
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_wrappings_change_nothing(wrapping: str) -> None:
    assert facts_of(WRAPPINGS[wrapping](WHOLE)) == facts_of(WHOLE.encode())
    assert facts_of(WRAPPINGS[wrapping](mixed(WHOLE, (300,)))) == facts_of(WHOLE.encode())


@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)))
@settings(max_examples=200, deadline=None)
def test_a_part_of_a_log_adds_nothing_to_the_whole(one: int, other: int) -> None:
    start, end = sorted((one, other))
    whole = facts_of(WHOLE.encode())
    runs = read_log(b"[I] \n" + WHOLE[start:end].encode(), "x").runs
    for run in runs:
        run_facts = facts(run)
        for section in ("model_options", "build_options", "device", "performance", "milestones"):
            # The last value may be cut.
            wrong = [key for key, value in run_facts[section].items() if whole[section].get(key) != value]
            assert len(wrong) <= 1, section
        assert len(run_facts["rows"] or ()) <= 2
        assert len(run_facts["raw_layers"] or ()) <= 1
        assert not [note for note in run.all_notes if note.severity == "problem" and note.code == "error-in-log"]


def test_runs_of_several_programs_one_after_the_other() -> None:
    parts = [mixed(WHOLE, (cut,)) for cut in (100, 500, 900)]
    contents = read_log(("some script\n" + "epoch 1\r".join(parts)).encode(), "x")
    assert [facts(run) for run in contents.runs] == [facts_of(WHOLE.encode())] * 3


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_compressed_logs_are_read_in_blocks(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.log{suffix}"
    data = WHOLE.encode() * 3
    if suffix == ".gz":
        path.write_bytes(gzip.compress(data[:700]) + gzip.compress(data[700:]))
    elif suffix == ".zst":
        zstandard = pytest.importorskip("zstandard")
        path.write_bytes(zstandard.ZstdCompressor().compress(data))
    else:
        path.write_bytes(data)
    notes: list[Note] = []
    contents = read_log(read_blocks(path, notes), "x")
    assert [facts(run) for run in contents.runs] == [facts_of(WHOLE.encode())] * 3
    assert not notes


@pytest.mark.parametrize("is_packed_twice", [False, True])
def test_a_log_in_an_archive_is_read_in_blocks(is_packed_twice: bool, tmp_path: Path) -> None:
    data = WHOLE.encode() * 2000
    with zipfile.ZipFile(tmp_path / "x.tea", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.build.log", gzip.compress(data) if is_packed_twice else data)
    sizes: list[int] = []

    def counted(blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            sizes.append(len(block))
            yield block

    notes: list[Note] = []
    contents = read_log(counted(read_blocks(f"{tmp_path / 'x.tea'}!x.build.log", notes)), "x")
    assert len(contents.runs) == 2000 and facts(contents.runs[-1]) == facts_of(WHOLE.encode())
    assert sum(sizes) == len(data) and max(sizes) <= 1 << 20 < len(data)
    assert not notes


@pytest.mark.parametrize(
    ("member", "message"),
    [("y.log", "has no such member"), ("empty.log", "empty"), ("bomb.log", "more than 100 times")],
)
def test_an_unreadable_log_in_an_archive(member: str, message: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.tea", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("empty.log", b"")
        archive.writestr("bomb.log", gzip.compress(bytes(1 << 26)))
    with pytest.raises(TrexError, match=message):
        list(read_blocks(f"{tmp_path / 'x.tea'}!{member}", []))


def test_the_streams_of_the_mock(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    program = make_trtexec("10.4", unstable=True)
    model = write_model(tmp_path / "m.onnx")
    done = subprocess.run([program, f"--onnx={model}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
    text = done.stdout.decode()
    assert " [W] " in text
    for cuts in ((0,), (250, 999), (999,)):
        assert facts_of(mixed(text, cuts).encode()) == facts_of(text.encode())
