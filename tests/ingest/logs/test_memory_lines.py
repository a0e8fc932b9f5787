"""Memory of the chosen engine, in the spellings of 8.4 and 10."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.ingest.logs.memory_lines import MemoryLines
from trex.ingest.logs.trtexec_log import read_log


def memory_bytes(*messages: str) -> dict[str, int]:
    lines = MemoryLines()
    for message in messages:
        lines.add(message)
    return lines.bytes


def test_release_10_prints_bytes() -> None:
    assert memory_bytes("Max Scratch Memory: 4608 bytes", "Total Activation Memory: 125440 bytes") == {
        "scratch_bytes": 4608,
        "activation_bytes": 125440,
    }


def test_release_8_prints_activations_twice() -> None:
    lines = ("Total Activation Memory: 1078224392", "Total Scratch Memory: 0", "Total Activation Memory: 2408456")
    assert memory_bytes(*lines) == {"activation_bytes": 2408456, "scratch_bytes": 0}


def test_the_chosen_strategy_counts_not_the_last() -> None:
    lines = (
        "Building graph using backend strategy 4",
        "Total Activation Memory: 400 bytes",
        "Use backend strategy 4 with estimated inference time (0.1) as the initial choice.",
        "Building graph using backend strategy 3",
        "Total Activation Memory: 300 bytes",
        "Chose this engine with backend strategy 3 since its estimated inference time (a) is faster than (b).",
        "Building graph using backend strategy 2",
        "Total Activation Memory: 200 bytes",
        "Skip backend strategy 2since its estimated inference time is not faster.",
    )
    assert memory_bytes(*lines) == {"activation_bytes": 300}
    assert memory_bytes(*lines[:2]) == {"activation_bytes": 400}


def of_engine(activations: int, weights: int = 100) -> list[str]:
    return [
        "Total Host Persistent Memory: 80 bytes",
        f"Total Activation Memory: {activations} bytes",
        f"Total Weights Memory: {weights} bytes",
    ]


def test_a_log_whose_lines_are_doubled_is_of_one_engine() -> None:
    assert memory_bytes(*(line for line in of_engine(200) for _ in range(2))) == {
        "host_persistent_bytes": 80,
        "activation_bytes": 200,
        "weights_bytes": 100,
    }


END = "Engine generation completed in 8.98107 seconds."
SKIP = "Skip backend strategy 2since its estimated inference time (0.2) is not faster."
SAME = {"host_persistent_bytes": 80, "weights_bytes": 100}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([*of_engine(400), END, *of_engine(300), END], SAME),
        ([*of_engine(400), *of_engine(300)], SAME),
        ([*of_engine(400)[1:], END, *of_engine(300), END], {"weights_bytes": 100}),  # the beginning is cut off
        ([*of_engine(400), END, *of_engine(400), END], {**SAME, "activation_bytes": 400}),
        ([*of_engine(300), END, SKIP], {}),
    ],
)
def test_without_a_verdict_only_what_all_engines_have_in_common_is_known(
    messages: list[str], expected: dict[str, int]
) -> None:
    lines = MemoryLines()
    for message in messages:
        lines.add(message)
    assert lines.bytes == expected
    assert lines.is_of_several is ("activation_bytes" not in expected)


def test_the_context_of_trtexec() -> None:
    assert memory_bytes("Created execution context with device memory size: 0.119629 MiB") == {"context_bytes": 125440}


@pytest.mark.parametrize(
    "message",
    [
        "Total Activation Memory: many bytes",
        "Total Activation Memory: -5 bytes",
        "Total Activation Memory: 5 bytes or so",
        "Total Activation Memory: " + "9" * 40,
        "Total Activation Memory:",
        "Building graph using backend strategy",
        "Total Host Walltime: 3 s",
    ],
)
def test_other_lines_are_ignored(message: str) -> None:
    assert memory_bytes(message) == {}


def test_they_are_in_the_metadata_of_a_log() -> None:
    text = b"""&&&& RUNNING TensorRT.trtexec [TensorRT v101600] # trtexec --onnx=m.onnx --verbose
[04/30/2026-18:15:13] [I] [TRT] Total Device Persistent Memory: 0 bytes
[04/30/2026-18:15:13] [V] [TRT] Total Weights Memory: 13100672 bytes
&&&& PASSED TensorRT.trtexec [TensorRT v101600] # trtexec --onnx=m.onnx --verbose
"""
    (run,) = read_log(text, "build.log").runs
    assert run.metadata.memory == {"device_persistent_bytes": 0, "weights_bytes": 13100672}


def test_real_logs(shared_logs: Path) -> None:
    def memory(name: str) -> list[int | None]:
        path = shared_logs / name
        return [run.metadata.memory.get("activation_bytes") for run in read_log(path.read_bytes(), name).runs]

    assert memory("trt10.16-trtexec-01.log") == [125440]
    assert memory("trt10.16-trtexec-02.log") == [2002944]  # of strategies 4, 3 and 2, 4 was chosen
    assert memory("trt8.4-mnist-fp16-build-verbose.log") == [2408456]

    lines = (shared_logs / "trt10.16-trtexec-02.log").read_bytes().splitlines(keepends=True)
    (run,) = read_log(b"".join(line for line in lines if b"[V]" not in line), "build.log").runs
    assert run.metadata.memory == {"device_persistent_bytes": 0}
    (note,) = [note for note in run.metadata.notes if note.code == "memory-of-several-engines"]
    assert note.where == "build.log:1"
