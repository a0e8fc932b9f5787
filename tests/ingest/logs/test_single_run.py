from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trex.builder.build_statements import duration
from trex.builder.tactics import Tactics
from trex.ingest.build_log.build_log import parse_build_log
from trex.ingest.logs.run_metadata import MIXED_RUNS
from trex.ingest.logs.trtexec_log import read_log

STAMP = "[01/02/2026-03:04:05]"
COMMAND = "trtexec --onnx=m.onnx"
SAVING = f"{COMMAND} --saveEngine=m.engine --skipInference"
GREP = "&&&& PASSED TensorRT.trtexec [TensorRT v100400] # {}\n"


def log(command: str, builder_s: float, *, has_ends: bool = True) -> str:
    """Of a run that builds, and runs inference if it does not skip it."""
    lines = [
        f"{STAMP} [I] === Model Options ===",
        f"{STAMP} [I] Model: m.onnx",
        f"{STAMP} [I]",
        f"{STAMP} [V] [TRT] Original: 20 layers",
        f"{STAMP} [I] [TRT] Engine generation completed in {builder_s} seconds.",
        f"{STAMP} [I] Engine built in {builder_s + 1} sec.",
        *([f"{STAMP} [I] === Performance summary ===", f"{STAMP} [I] Throughput: 9 qps"] * ("skip" not in command)),
        f"{STAMP} [I] Done.",
    ]
    ends = [f"&&&& {kind} TensorRT.trtexec [TensorRT v100400] # {command}" for kind in ("RUNNING", "PASSED")]
    return "\n".join((ends[0], *lines, ends[1]) if has_ends else lines) + "\n"


def mixed(first: str, second: str, chunk: int) -> str:
    lines = [text.splitlines(keepends=True) for text in (first, second)]
    parts = [["".join(own[at : at + chunk]) for own in lines] for at in range(0, max(map(len, lines)), chunk)]
    return "".join(part for pair in parts for part in pair)


@pytest.mark.parametrize("chunk", [1, 3, 5])
@pytest.mark.parametrize(
    "commands", [(COMMAND, SAVING), (SAVING, COMMAND), (COMMAND, COMMAND), (SAVING, SAVING), (COMMAND, "trtexec")]
)
def test_runs_at_the_same_time_are_a_problem_and_have_no_sum(commands: tuple[str, str], chunk: int) -> None:
    text = mixed(log(commands[0], 2.0), log(commands[1], 5.0), chunk)
    contents, build_log = read_log(text.encode(), "x.log"), parse_build_log(text.encode(), "x.log")
    for notes in contents.all_notes, build_log.notes:
        assert MIXED_RUNS in [note.code for note in notes if note.severity == "problem"]
    assert not any("engine_generation_s" in run.metadata.milestones for run in contents.runs)
    assert duration(Tactics(build_log), 0).words.startswith("Build time unknown")


def test_the_end_of_another_release_is_of_another_run() -> None:
    """As a hole in two runs of one command leaves it."""
    begun, _, ended = log(COMMAND, 2.0).rpartition("v100400")
    text = f"{begun}v8600{ended}"
    for notes in read_log(text.encode(), "x.log").all_notes, parse_build_log(text.encode(), "x.log").notes:
        assert MIXED_RUNS in [note.code for note in notes if note.severity == "problem"]


@pytest.mark.parametrize(
    "text",
    [
        log(COMMAND, 2.0),
        log(COMMAND, 2.0) + log(SAVING, 5.0),
        log(COMMAND, 2.0) + log(COMMAND, 2.0),
        log(COMMAND, 2.0, has_ends=False) + log(COMMAND, 5.0, has_ends=False),
        log(COMMAND, 2.0).partition("\n")[2] + log(COMMAND, 5.0).partition("\n")[2],
        "".join(log(COMMAND, 2.0).splitlines(keepends=True)[:8]) + log(SAVING, 5.0),
        log(SAVING, 2.0) + "+ grep PASSED build.log\n" + GREP.format(SAVING),
        log(SAVING, 2.0) + "Engine built in 4 seconds\n",
        f"{STAMP} [TRT] [I] Engine generation completed in 2 seconds.\nEngine built in 2 s\n" * 2,
    ],
    ids=["one", "two", "again", "no banners", "no first lines", "interrupted", "grep", "wrapper", "script"],
)
def test_runs_one_after_the_other_are_not_mixed(text: str) -> None:
    for notes in read_log(text.encode(), "x.log").all_notes, parse_build_log(text.encode(), "x.log").notes:
        assert MIXED_RUNS not in [note.code for note in notes]


def _inserted(first: str, second: str, _: int) -> str:
    lines = first.splitlines(keepends=True)
    return "".join((*lines[:100], second, *lines[100:]))


@pytest.mark.parametrize("mix", [mixed, _inserted])
@pytest.mark.parametrize("chunk", [1, 60])
def test_real_runs_of_one_model(shared_logs: Path, mix: Callable[[str, str, int], str], chunk: int) -> None:
    first, second = ((shared_logs / f"trt10.16-trtexec-{number}.log").read_text("utf-8") for number in ("01", "02"))
    for text in mix(first, second, chunk), mix(second, first, chunk):
        for notes in read_log(text.encode(), "x.log").all_notes, parse_build_log(text.encode(), "x.log").notes:
            assert [note.code for note in notes].count(MIXED_RUNS) == 1


def test_real_runs_one_after_the_other(shared_logs: Path) -> None:
    logs = [path.read_bytes() for path in sorted(shared_logs.glob("trt*.log"))]
    for text in (*logs, b"\n".join(logs)):
        assert MIXED_RUNS not in [note.code for note in read_log(text, "x.log").all_notes]
