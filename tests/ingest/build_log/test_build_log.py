"""Every row of a build log is read: counted independently in real logs, and the same when the log is wrapped or cut."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.build_log_text import EARLY, MODERN
from trex.core.build_log import (
    CACHED,
    DEVICE_MEMORY,
    LAYER,
    NO_TACTICS,
    NOT_TIMED,
    REFORMAT,
    TIMED,
    WORKSPACE,
    BuildLog,
)
from trex.core.errors import TrexError
from trex.ingest.build_log.build_log import UNFINISHED, parse_build_log, read_build_log


def parsed(text: str) -> BuildLog:
    return parse_build_log(text.encode(), "x.log")


def test_modern_log() -> None:
    log = parsed(MODERN)
    (build,) = log.builds
    assert (build.name, build.tensorrt_version, build.passed, build.seconds) == ("m.onnx", "10.16.0", True, 1.5)
    assert [(step.strategy, step.is_chosen, step.estimated_ms) for step in log.passes] == [
        (4, False, 0.2),
        (3, True, 0.1),
    ]
    statuses = [(row.kind, row.layer, row.runner, row.status, row.tried) for row in log.autotuned]
    assert statuses == [
        (LAYER, "Conv_0 + Relu_1", "CaskConvolution", TIMED, 2),
        (LAYER, "Conv_0 + Relu_1", "CaskFlattenConvolution", NO_TACTICS, 0),
        (LAYER, "{ForeignNode[m]}", "Myelin", TIMED, 1),
        (REFORMAT, "Optimizer Reformat(x -> <out>)", "Reformat", TIMED, 1),
        (REFORMAT, "Optimizer Reformat(y -> <out>)", "Reformat", CACHED, 0),
    ]
    assert log.autotuned[0].formats == "Float(4,1:4,1) -> Half(4,1)" and log.autotuned[0].seconds == 0.5
    assert list(log.times.autotuned) == [0, 0, 2, 3]
    assert list(log.times.kernel) == ["sm80_a", "sm80_b", "", ""] and log.times.tactic[1] == 2**64 - 1
    (operation,) = log.operations
    assert (
        operation.operation == "m: 0" and operation.origins == ("m", "[a]: b") and operation.layer == "{ForeignNode[m]}"
    )
    assert operation.key.endswith("abc") and (operation.tactic, operation.is_printed) == (0xBD1, True)
    assert list(log.myelin_times.tactic) == [0xAD1, 0xBD1] and log.myelin_times.tunable[1] == "0"
    (skip,) = log.skipped
    assert (skip.reason, skip.requested_bytes, skip.available_bytes, skip.tactic) == (WORKSPACE, 7527, 1024, 4)
    assert [(edit.kind, edit.layer) for edit in log.edits] == [
        ("fused", "Conv_0"),
        ("removed", "Identity_2"),
        ("reformat", "Reformatted Input Tensor 0 to m (y)"),
    ]
    assert log.caches[0].kind == "global" and log.caches[0].saved_entries == 25
    assert not log.notes


def test_carriage_returns_part_messages_too() -> None:
    usual, returned = (parse_build_log(MODERN.replace("\n", end).encode(), "x.log") for end in ("\n", "\r"))
    assert len(returned.operations) == len(usual.operations) > max(returned.myelin_times.operation, default=0)
    assert returned.myelin_times.cost_ms == usual.myelin_times.cost_ms


def test_early_log() -> None:
    log = parsed(EARLY)
    assert [(row.runner, row.status, row.tried) for row in log.autotuned] == [
        ("CudnnConvolution", NO_TACTICS, 0),
        ("CaskConvolution", TIMED, 1),
    ]
    assert log.times.kernel == ("k1",) and log.times.tactic[0] == 2**64 - 2 and log.chosen[0].tactic == 2**64 - 2
    (skip,) = log.skipped
    assert (skip.reason, skip.requested_bytes, skip.available_bytes) == (DEVICE_MEMORY, 538 << 20, 166 << 20)


@pytest.mark.parametrize(
    "wrapped",
    [
        pytest.param(lambda line: f"2026-01-02T03:04:05.678Z stdout F {line}\r", id="container"),
        pytest.param(lambda line: f"Jan 02 03:04:05 host trtexec[123]: {line}", id="journald"),
        pytest.param(lambda line: f"INFO:builder:{line}", id="python-logging"),
        pytest.param(lambda line: re.sub(r"\[V\] \[TRT\]", "[TRT] [V]", line), id="python-logger"),
        pytest.param(lambda line: re.sub(r"^\[[\d/:-]+\] \[\w\] \[TRT\]", "[TRT]   ", line), id="jetson-inference"),
        pytest.param(lambda line: f"\x1b[32m{line}\x1b[0m", id="colors"),
    ],
)
def test_wrapped_lines_change_nothing(wrapped) -> None:
    plain = parsed(MODERN)
    log = parsed("".join(f"{wrapped(line)}\n" for line in ["=== STDOUT ===", *MODERN.splitlines()]))
    for table in ("chosen", "skipped", "operations", "edits", "layer_counts"):
        assert _without_lines(getattr(log, table)) == _without_lines(getattr(plain, table)), table
    assert list(log.times.time_ms) == list(plain.times.time_ms)
    assert list(log.myelin_times.cost_ms) == list(plain.myelin_times.cost_ms)


def _without_lines(rows) -> list:
    return [row._replace(line=0) for row in rows]


def test_several_builds_are_named() -> None:
    log = parsed(MODERN + MODERN.replace("m.onnx", "n.onnx") + EARLY + EARLY)
    assert [build.name for build in log.builds] == ["m.onnx", "n.onnx", "build 3", "build 4"]
    assert Counter(row.build for row in log.chosen) == {0: 2, 1: 2, 2: 1, 3: 1}
    assert [step.build for step in log.passes] == [0, 0, 1, 1, 2, 3]
    assert {note.code for note in log.notes} == {"several-builds"}


def test_two_runs_that_wrote_into_one_log_at_the_same_time() -> None:
    one, other = (f"&&&& {{}} TensorRT.trtexec [TensorRT v8601] # trtexec --onnx={name}.onnx\n".format for name in "ab")
    body = MODERN.partition("\n")[2].rpartition("&&&&")[0]
    for text, is_mixed in (
        (one("RUNNING") + other("RUNNING") + body + one("PASSED") + other("PASSED"), True),
        (one("RUNNING") + body + one("PASSED") + other("RUNNING") + body + other("PASSED"), False),
        (one("RUNNING") + body + other("RUNNING") + body + other("FAILED"), False),
        (one("RUNNING")[:-9] + "\n" + body + one("PASSED"), False),
    ):
        assert ("runs-mixed-in-log" in [note.code for note in parsed(text).notes]) is is_mixed


def test_a_build_that_the_log_does_not_end_is_named() -> None:
    end = EARLY.index("[V] [TRT] Formats")
    for text, finished in ((EARLY, [True]), (EARLY[:end], [False]), (EARLY[:end] + EARLY, [False, True])):
        log = parsed(text)
        assert [build.is_finished for build in log.builds] == finished
        notes = [note.message for note in log.notes if note.code == UNFINISHED]
        assert notes == ["1 build did not end in the log: 1 of about 2 layers were timed"] * finished.count(False)


def test_threads_that_mix_their_lines_are_not_attributed() -> None:
    mixed = MODERN.replace("Time: 0.0101\n", "Time: 0.0001\n")
    log = parsed(mixed)
    assert [note.code for note in log.notes] == ["mixed-tactic-times"]
    assert [(row.layer, row.tried) for row in log.autotuned[:2]] == [("", 2), ("Conv_0 + Relu_1", 0)]
    assert list(log.times.time_ms) == [0.01, 0.0001, 0.02, 0.003]


@pytest.mark.parametrize("text", ["", "hello\n", "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec\n"])
def test_what_is_no_build_is_refused(text) -> None:
    with pytest.raises(TrexError, match="not the log of a build"):
        parsed(text)


def test_quiet_log_says_what_is_missing() -> None:
    log = parsed("[01/02/2026-03:04:07] [I] [TRT] Engine generation completed in 1.5 seconds.\n")
    assert [note.code for note in log.notes] == ["log-not-verbose"] and "VERBOSE" in log.notes[0].hint


@example(0, MODERN.index("(key: ") + 5)
@example(0, MODERN.index("op m: 0") + 5)
@given(st.integers(0, len(MODERN)), st.integers(0, len(MODERN)))
def test_a_cut_log_has_no_other_rows(start, end) -> None:
    """Whatever is cut from its beginning and end, no row is made up."""
    try:
        log = parsed(MODERN[start:end])
    except TrexError:
        return
    whole = parsed(MODERN)
    times = set(zip(whole.times.tactic, whole.times.time_ms)) | {(0xAA, 0.0), (0xAA, 0.01)}
    assert all(tactic in dict(times) for tactic in log.times.tactic if end == len(MODERN))
    assert {row.layer for row in log.chosen} <= {row.layer for row in whole.chosen}
    assert {row.operation for row in log.operations} <= {"m: 0"}


# Independent counts, by expressions over the bytes of real logs.
LINE = rb"^(?:\[[^\]\n]*\] ?)*"
COUNTS = {
    "times": LINE + rb"Tactic(?: Name: [^\n]* Tactic)?: \S+ Time: [0-9]",
    "no tactics": rb"no valid tactics for this config|No valid tactics for",
    "cached": rb"got cached result",
    "workspace": rb"skipped\. Scratch requested",
    "chosen": rb"Chose Runner Type",
    "operations": rb"Autotuning op ",
    "fused": rb": [Ff]using ",
    "added reformats": rb"Adding reformat layer",
    "layer counts": rb"(?:Original|After [^:\n]*): \d+ layers",
    "myelin rows": rb"\(foreignNode\) +\d+, ",
    "reformat runners": rb"Timing Runner: Optimizer Reformat",
    "runners": rb"Timing Runner: ",
}
VERBOSE = (
    "trt8.4-mnist-fp16-build-verbose.log",
    "trt8.4-sparsity-python-verbose.log",
    "trt8.6-build-verbose.log",
    "trt10.16-trtexec-02.log",
    "trtrtx-verbose.log",
    "trtrtx1.7.1-bert-base-fp16-sm89-cpu-build-verbose.log",
    "trtrtx1.7.1-resnet18-fp32-cpu-build-verbose.log",
)


@pytest.mark.parametrize("name", VERBOSE)
def test_every_row_of_a_real_log_is_read(shared_logs, name) -> None:
    file: Path = shared_logs / name
    log = read_build_log(file)
    data = file.read_bytes()
    expected = {what: len(re.findall(pattern, data, re.MULTILINE)) for what, pattern in COUNTS.items()}
    statuses = Counter(row.status for row in log.autotuned)
    kinds = Counter(edit.kind for edit in log.edits)
    timed = [row for row in log.autotuned if row.status in (TIMED, NOT_TIMED)]
    assert {
        "times": len(log.times),
        "no tactics": statuses[NO_TACTICS],
        "cached": statuses[CACHED],
        "workspace": sum(skip.reason == WORKSPACE for skip in log.skipped),
        "chosen": len(log.chosen),
        "operations": len(log.operations),
        "fused": kinds["fused"],
        "added reformats": kinds["reformat"],
        "layer counts": len(log.layer_counts),
        "myelin rows": len(log.myelin_times),
        "reformat runners": sum(row.kind == REFORMAT for row in timed),
        "runners": len(timed) + _opened_without_tactics(data),
    } == expected
    assert not {note.code for note in log.notes} - {"several-builds", "no-tactic-times"}
    assert sum(row.tried for row in log.autotuned) == len(log.times)


def _opened_without_tactics(data: bytes) -> int:
    """Until 8.6, a runner without valid tactics is announced before."""
    return len(re.findall(rb"no valid tactics for this config", data))


@pytest.mark.parametrize("name", VERBOSE)
def test_the_chosen_tactic_is_the_fastest_one(shared_logs, name) -> None:
    """On real logs: the tactic that was chosen for a combination of formats is the fastest of its runners."""
    log = read_build_log(shared_logs / name)
    fastest: dict[tuple, tuple[float, int | None]] = {}
    for row in log.autotuned:
        if row.kind == LAYER and math.isfinite(row.fastest_ms):
            key = (row.build, row.strategy_pass, row.layer, row.formats)
            fastest[key] = min(fastest.get(key, (math.inf, None)), (row.fastest_ms, row.fastest_tactic))
    chosen = {(row.build, row.strategy_pass, row.layer, row.formats): row.tactic for row in log.chosen}
    known = {key: tactic for key, (_, tactic) in fastest.items()}
    assert {key: tactic for key, tactic in chosen.items() if key in known} == {
        key: tactic for key, tactic in known.items() if key in chosen
    }
