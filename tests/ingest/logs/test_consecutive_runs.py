"""Runs of other engines in one log lend nothing to the last one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.timings import LayerTimes
from trex.ingest.logs.consecutive_runs import (
    EARLIER_ENGINE,
    INTERRUPTED_RUN,
    interrupted_run,
    measuring_run,
    runs_of_one_engine,
    times_of_one_run,
    unreported_times,
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
    ("words", "facts", "is_problem"),
    [
        ("--onnx=a.onnx --saveEngine=a.plan", {"engine_size_mib": 19.0}, True),
        ("--onnx=a.onnx --saveEngine=a.plan", {"engine_size_mib": 12.57, "engine_built_s": 9.0}, False),
        ("--onnx=a.onnx --saveEngine=a.plan", {}, True),
        ("--loadEngine=a.plan", {}, False),
        ("--loadEngine=a.plan", {"loaded_engine_mib": 19.0}, False),
        ("--loadEngin=a.plan", {}, False),
        ("--onnx=a.onnx --int8", {"engine_size_mib": 19.0}, False),
        ("--onnx=b.onnx --saveEngine=b.plan", {"engine_size_mib": 19.0}, False),
    ],
    ids=["other", "the same", "none", "it loads", "it loads another", "a typo", "a trial", "another network"],
)
def test_a_later_build_that_failed_leaves_an_earlier_engine(
    words: str, facts: dict[str, float], is_problem: bool
) -> None:
    built = replace(BUILT, metadata=replace(BUILT.metadata, milestones={"engine_size_mib": 12.57, "engine_built_s": 9}))
    _, notes = runs_of_one_engine((built, run(words, passed=False, milestones=facts)), "x.log")
    problems = [note for note in notes if note.severity == "problem"]
    assert [note.code for note in problems] == [EARLIER_ENGINE] * is_problem


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


@pytest.mark.parametrize("code", ["run-failed", "run-crashed"])
def test_a_failure_that_a_later_run_made_good_is_a_warning(code: str) -> None:
    note = Note(code, "it failed", severity="problem")
    failed = LogRun(Metadata(command_line="trtexec --loadEngine=a.plan", notes=(note,)), passed=None)
    severities = [
        [note.severity for run in runs_of_one_engine(runs)[0] for note in run.metadata.notes]
        for runs in ((failed, BUILT), (BUILT, failed), (failed, replace(BUILT, passed=None)), (failed,))
    ]
    assert severities == [["warning"], ["problem"], ["problem"], ["problem"]]
    timed = replace(failed, layer_times=BUILT.layer_times)  # a build that passed does not make its times good
    builds = replace(BUILT, layer_times=None)
    assert [note.severity for note in runs_of_one_engine((timed, builds))[0][0].metadata.notes] == ["problem"]


def test_times_left_out_are_noted_where_no_other_file_has_them() -> None:
    log = run(tensorrt_version="10.16.0", latency={"GPU Compute Time": LatencySummary(1.0, 1.0, 1.0, 1.0)})
    measured = replace(log.metadata, tensorrt_version="10.15.0")
    (kept,), (note,) = times_of_one_run((log,), measured, has_layer_times=True)
    assert not kept.metadata.latency and note.message == "left out: latency of a run by TensorRT 10.16.0"
    assert not times_of_one_run((log,), measured, has_latency=True, has_layer_times=True)[1]
    of_python = replace(log.metadata, tensorrt_version="10.16.0.72")
    assert times_of_one_run((log,), of_python) == ([log], [])


@pytest.mark.parametrize(
    ("command", "facts", "severity"),
    [
        ("--dumpProfile --exportTimes=t.json", {}, "problem"),
        ("--dumpProfile", {}, "warning"),
        ("--dumpProfile --exportTimes=t.json", {"latency": {"Latency": LatencySummary(1.0, 1.0, 1.0, 1.0)}}, ""),
    ],
)
def test_a_run_that_reports_no_times_exports_none(command: str, facts: dict[str, Any], severity: str) -> None:
    unreported = Note("no-end-to-end-timing", "The e2e network timing is not reported", severity="info")
    profiled = run(command, notes=(unreported,), sources=("x.log",), **facts)
    notes = list(unreported_times((profiled, BUILT), "t.json"))
    assert [(note.code, note.severity, note.where) for note in notes] == [(INTERRUPTED_RUN, severity, "t.json")] * bool(
        severity
    )
    assert not list(unreported_times((BUILT,), "t.json"))
