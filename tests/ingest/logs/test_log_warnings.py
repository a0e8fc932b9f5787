"""Warnings and errors of logs as Notes."""

from __future__ import annotations

import pytest

from trex.ingest.logs.log_lines import log_lines
from trex.ingest.logs.log_warnings import Warnings


def collected(text: str) -> Warnings:
    warnings = Warnings()
    for line in log_lines(text.encode()):
        warnings.add(line)
    return warnings


def test_a_known_warning_is_quoted_with_its_advice() -> None:
    (note,) = collected(
        "[W] * GPU compute time is unstable, with coefficient of variance = 44.3%.\n"
        "[W]   If not already in use, locking GPU clock frequency may improve the stability.\n"
    ).notes("x.log")
    assert (note.code, note.severity, note.where) == ("unstable-gpu-time", "warning", "x.log:1")
    assert note.message == "GPU compute time is unstable, with coefficient of variance = 44.3%."
    assert note.hint == "If not already in use, locking GPU clock frequency may improve the stability."


def test_chatter_is_ignored_but_errors_are_kept() -> None:
    warnings = collected("[W] [TRT] Make sure output z has Int64 binding.\n[E] [TRT] 10: no implementation\n")
    assert [note.code for note in warnings.notes("")] == ["error-in-log"]
    assert warnings.first_error == "10: no implementation"


def test_the_same_text_is_kept_once_and_many_are_counted() -> None:
    text = "[W] same\n[W] same\n" + "".join(f"[E] error {n}\n" for n in range(25))
    notes = collected(text).notes("")
    assert len(notes) == 1 + 20 + 1
    assert notes[-1].message == "the log contains 5 more warnings and errors"


def test_list_marks_are_removed() -> None:
    text = "[W] [TRT] - 2 weights are affected by this issue: Detected subnormal FP16 values.\n"
    (note,) = collected(text).notes("")
    assert note.message.startswith("2 weights are affected")


def test_a_long_message_is_quoted_in_part() -> None:
    (note,) = collected(f"[E] {'x' * 10_000}").notes("")
    assert len(note.message) == 400


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("* GPU compute time is unstable, with coefficient of variance = 4%.", "unstable-gpu-time"),
        ("* Throughput may be bound by Enqueue Time rather than GPU Compute.", "enqueue-bound"),
        (
            "The built TensorRT engine contains operations that are not permitted under CUDA graph capture mode.",
            "cuda-graph-not-captured",
        ),
        (
            "CUDA graph capture failed. The inference will be launched without using CUDA graph.",
            "cuda-graph-not-captured",
        ),
        ("* Throughput may be bound by host-to-device transfers for the inputs.", "host-to-device-bound"),
        ("* Throughput may be bound by device-to-host transfers for the outputs.", "device-to-host-bound"),
        ('The engine uses 2 auxiliary streams, so the "Total" latency may not be accurate.', "auxiliary-streams"),
        ("Automatically overriding shape to: 1x3", "shape-chosen-by-trtexec"),
        ("Automatically setting shape to: 1x3", "shape-chosen-by-trtexec"),
        ("[TRT] - 2 weights are affected by this issue: Detected subnormal FP16 values.", "weights-out-of-range"),
        ("[TRT] Attempting to cast down to INT32.", "weights-narrowed"),
        ("[TRT] One or more weights outside the range of INT32 was clamped", "weights-clamped"),
        ("[TRT] Skipping tactic 3 due to insuficient memory on requested size of 449.", "tactics-skipped-for-memory"),
        ("[TRT] Device memory is insufficient to use tactic.", "tactics-skipped-for-memory"),
        ("[TRT] Some tactics do not have sufficient workspace memory to run.", "tactics-skipped-for-workspace"),
        ("[TRT] Detected invalid timing cache, setup a local cache instead", "timing-cache-not-read"),
        ("Could not read timing cache from: x. A new timing cache will be written.", "timing-cache-not-read"),
        ("[TRT] Timing cache miss for a", "timing-cache-miss"),
        ("[TRT] Default DLA is enabled but layer a is not supported on DLA, falling back to GPU.", "dla-fallback"),
        ("[TRT] Layer 'a' (SHUFFLE): Unsupported on DLA. Switching this layer's device type to GPU.", "dla-fallback"),
        ("[TRT] Missing scale and zero-point for tensor a, expect fall back", "no-scale-for-int8"),
        ("[TRT] Calibrator is not being used.", "no-calibration"),
        ("[TRT] No implementation of layer 4 obeys the requested constraints in strict mode.", "precision-not-obeyed"),
        ("[TRT] Using an engine plan file across different models of devices is bad.", "engine-of-another-gpu"),
        ("[TRT] Using default stream in enqueueV3() may lead to performance issues", "default-stream"),
        ("--plugins flag has been deprecated, use --staticPlugins flag instead.", "deprecated-option"),
    ],
)
def test_every_known_warning_has_a_next_step(text: str, code: str) -> None:
    (note,) = collected(f"[W] {text}\n").notes("")
    assert note.code == code
    assert note.hint


def test_messages_per_layer_are_one_note() -> None:
    text = "".join(
        f"[W] [TRT] Layer '{n}' (SHUFFLE): Unsupported on DLA. Switching this layer's device type to GPU.\n"
        for n in range(30)
    )
    (note,) = collected(text).notes("x.log")
    assert note.message.endswith("(30 such messages)")
    assert note.where == "x.log:1"


def test_tactics_without_workspace_are_counted_with_their_sizes() -> None:
    row = "[V] [TRT] Tactic: 0x1 skipped. Scratch requested: {}, available: 1073741824\n"
    (note,) = collected(row.format(1 << 20) + row.format(5 << 30) + "[I] [TRT] Some tactics do not have sufficient "
                        "workspace memory to run.\n").notes("")  # fmt: skip
    assert note.message == (
        "2 tactics were skipped, the workspace is too small: "
        "up to 5,368,709,120 bytes requested, 1,073,741,824 available"
    )
    assert note.hint.endswith("--memPoolSize=workspace:5120")


def test_no_gpu_to_load_the_engine_that_was_built_is_no_error() -> None:
    warnings = collected("[E] [TRT] deserializeCudaEngine: Error Code 1: Cuda Runtime (In x (cudaError 35: driver))\n")
    assert [note.code for note in warnings.notes("")] == ["error-in-log"]
    assert not warnings.notes("", is_built=True)
