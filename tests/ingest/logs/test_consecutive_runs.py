"""Runs of other engines in one log lend nothing to the last one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.timings import LayerTimes
from trex.ingest.logs.consecutive_runs import (
    INTERRUPTED_RUN,
    interrupted_run,
    measuring_run,
    runs_of_one_engine,
    times_of_one_run,
)
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


@pytest.mark.parametrize("earlier", [{"Input inference shapes": "x=1x8"}, {"Input inference shapes": "model"}])
def test_times_at_other_or_unknown_shapes_are_no_times_of_the_last_run(earlier: dict[str, str]) -> None:
    first = run(inference_options=earlier)
    last = replace(run(inference_options={"Input inference shape": "x=4x8"}), layer_times=None)
    (kept, own), (note,) = times_of_one_run((first, last), last.metadata)
    assert not kept.metadata.performance and kept.layer_times is None and own is last
    assert (note.code, note.message) == ("times-of-another-run", "left out: layer times of a run at other shapes")
    assert not times_of_one_run((first, last), last.metadata, has_layer_times=True)[1]


def test_a_run_that_only_builds_measures_nothing() -> None:
    measured, cut = (run(inference_options={"Streams": streams}) for streams in "12")
    skipped = LogRun(replace(cut.metadata, command_line="trtexec --skipInference"))
    assert measuring_run((measured, skipped), ()) is measured.metadata
    assert measuring_run((measured, LogRun(cut.metadata)), ()) is cut.metadata
    assert measuring_run((), (LogRun(cut.metadata), measured)) is measured.metadata


@pytest.mark.parametrize("code", ["run-unfinished", "run-crashed"])
def test_a_run_that_ended_before_its_times_is_a_problem(code: str) -> None:
    metadata = Metadata(command_line="trtexec --onnx=a.onnx", notes=(Note(code, "cut off"),), sources=("x.log",))
    cut = LogRun(metadata, None, first_line=9)
    (note,) = interrupted_run(cut)
    assert (note.code, note.severity, note.where) == (INTERRUPTED_RUN, "problem", "x.log:9")
    assert not [*interrupted_run(BUILT), *interrupted_run(replace(cut, layer_times=BUILT.layer_times))]
