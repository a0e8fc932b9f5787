"""Runs → Metadata."""

from __future__ import annotations

import pytest

from trex.ingest.logs.run_metadata import RunMetadata
from trex.ingest.logs.trtexec_log import read_log
from trex.perf.run_flags import run_flags

BEGINNING = """&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=a.onnx
[07/18/2026-12:00:00] [I] === Model Options ===
[07/18/2026-12:00:00] [I] Format: ONNX
"""


def test_an_empty_run() -> None:
    assert RunMetadata("x.log", 1).is_empty
    assert not RunMetadata("x.log", 1).metadata().notes


@pytest.mark.parametrize(
    "line",
    [
        "trtexec: common/graph.cpp:12: void run(int): Assertion `x > 0' failed.",
        "Segmentation fault (core dumped)",
        "Killed",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "run.sh: line 4: 12345 Segmentation fault      (core dumped) trtexec",
        "/bin/bash: line 1:    12 Killed                  trtexec --onnx=a",
        "[1]    12 killed     trtexec",
        "zsh: segmentation fault  trtexec",
    ],
)
def test_a_crash_is_no_interruption(line: str) -> None:
    (run,) = read_log(f"{BEGINNING}{line}\n".encode(), "a.log").runs
    (note,) = [note for note in run.all_notes if note.code.startswith("run-")]
    assert (note.code, note.where, note.severity) == ("run-crashed", "a.log:4", "problem")
    assert line[:40] in note.message


def test_a_crash_is_seen_after_any_message() -> None:
    messages = "[07/18/2026-12:00:00] [I] Starting inference\noutput of another program\nAborted (core dumped)\n"
    (run,) = read_log(f"{BEGINNING.splitlines()[0]}\n{messages}".encode(), "a.log").runs
    assert [note.code for note in run.all_notes] == ["run-crashed"]


def test_a_run_that_went_on_did_not_crash() -> None:
    text = f"{BEGINNING}Aborted\n&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=a.onnx\n"
    (run,) = read_log(text.encode(), "a.log").runs
    assert not [note for note in run.all_notes if note.code.startswith("run-")]
    (cut,) = read_log(BEGINNING.encode(), "a.log").runs
    assert "run-unfinished" in {note.code for note in cut.all_notes}


@pytest.mark.parametrize(
    ("line", "cuda_graph"),
    [
        ("The built TensorRT engine contains operations that are not permitted under CUDA graph capture mode.", False),
        ("CUDA graph capture failed. The inference will be launched without using CUDA graph.", False),
        ("something else", True),
    ],
)
def test_a_cuda_graph_that_could_not_be_captured_is_off(line: str, cuda_graph: bool) -> None:
    options = "[I] === Inference Options ===\n[I] CUDA Graph: Enabled\n[I] === Reporting Options ===\n"
    (run,) = read_log(f"{BEGINNING}{options}[I] Starting inference\n[W] {line}\n".encode(), "a.log").runs
    flags = run_flags(run.metadata.inference_options)
    assert (flags.cuda_graph, flags.capture_failed) == (cuda_graph, not cuda_graph)
    assert ("cuda-graph-not-captured" in {note.code for note in run.all_notes}) is not cuda_graph
