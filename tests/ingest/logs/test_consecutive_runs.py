"""Runs of other engines in one log lend nothing to the last one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.timings import LayerTimes
from trex.ingest.logs.consecutive_runs import INTERRUPTED_RUN, runs_of_one_engine
from trex.ingest.logs.log_run import LogRun


def run(words: str = "", *, passed: bool | None = True, **facts: Any) -> LogRun:
    metadata = Metadata(command_line=f"trtexec {words}", performance={"throughput": 1.0}, **facts)
    return LogRun(metadata, passed=passed, layer_times=LayerTimes(()))


BUILT = run(
    "--onnx=a.onnx --saveEngine=out/a.plan",
    build_options={"Precision": "FP16"},
    tensorrt_version="10.3.0",
    milestones={"engine_size_mib": 12.57},
)


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (run("--loadEngine=a.plan"), ""),
        (run("--onnx='m/a.onnx' --fp16", build_options={"Precision": "FP16"}), ""),
        (run("--loadEngine=b.plan"), "it names 'a.plan'"),
        (run("--onnx=b.onnx"), "it names 'a.onnx'"),
        (run("--onnx=a.onnx", build_options={"Precision": "FP32"}), "it builds for FP16"),
        (run("--loadEngine=a.plan", tensorrt_version="10.4.0"), "it is of TensorRT 10.3.0"),
        (run("--loadEngine=a.plan", milestones={"loaded_engine_mib": 12.0}), ""),
        (run("--loadEngine=a.plan", milestones={"loaded_engine_mib": 6.0}), "its engine has 12.6 MiB"),
    ],
)
def test_what_is_of_another_engine_is_left_out(last: LogRun, reason: str) -> None:
    kept, notes = runs_of_one_engine((BUILT, last), "x.log")
    assert kept == ((last,) if reason else (BUILT, last))
    assert [note.code for note in notes] == ["other-runs-in-log"] * bool(reason)
    assert all(reason in note.message for note in notes)


def test_a_failed_run_of_another_engine_takes_nothing_away() -> None:
    kept, notes = runs_of_one_engine((BUILT, run("--onnx=b.onnx", passed=False)))
    assert kept == (BUILT,) and notes


def test_times_at_other_shapes_are_no_times_of_the_last_run() -> None:
    shapes = [{"Input inference shapes": f"x={batch}x8"} for batch in (1, 4)]
    first, last = (run(inference_options=options) for options in shapes)
    (kept, _), notes = runs_of_one_engine((first, last))
    assert not kept.metadata.performance and kept.layer_times is None and not notes


@pytest.mark.parametrize("code", ["run-unfinished", "run-crashed"])
def test_times_of_the_run_before_an_interrupted_one_are_a_problem(code: str) -> None:
    cut = LogRun(Metadata(command_line="trtexec --onnx=a.onnx", notes=(Note(code, "cut off"),)), None, first_line=9)
    _, notes = runs_of_one_engine((BUILT, cut), "x.log")
    assert [(note.code, note.severity, note.where) for note in notes] == [(INTERRUPTED_RUN, "problem", "x.log:9")]
    assert not runs_of_one_engine((cut, BUILT))[1] and not runs_of_one_engine((cut, cut))[1]
    assert not runs_of_one_engine((BUILT, replace(cut, layer_times=BUILT.layer_times)))[1]
