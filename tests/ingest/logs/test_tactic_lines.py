"""Tactic timings in verbose logs: the two fastest of each choice, in the spellings of three releases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trex.core.data_type import DataType
from trex.core.tactic_trial import TacticTrial
from trex.ingest.logs import tactic_lines
from trex.ingest.logs.tactic_lines import TacticLines
from trex.ingest.logs.trtexec_log import read_log

HEADS = {"trtexec": "[04/30/2026-18:15:18] [V] [TRT] ", "python": "[04/30/2026-18:15:18] [TRT] [V] ", "bare": "[V] "}
BEGIN = "*************** Autotuning format combination: Float(784,784,28,1) -> Float(25088,784,28,1) ***************"
RUNNER = "--------------- Timing Runner: Conv-1 + ReLU-2 (CaskConvolution[0x80000009])"


def trials(*texts: str, head: str = HEADS["trtexec"]) -> tuple[TacticTrial, ...]:
    lines = TacticLines()
    for text in texts:
        lines.add((head + text).encode())
    return lines.take()


def chose(tactic: str) -> str:
    return f">>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: {tactic}"


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_the_two_fastest_of_all_runners(head: str) -> None:
    (trial,) = trials(
        BEGIN,
        RUNNER,
        "Tactic: 0x000000000000000a Time: 0.03",
        "Tactic Name: ampere_scudnn_128x64_relu_small_nn_v1 Tactic: 0xf000000000000001 Time: 0.0101",
        "Fastest Tactic: 0xf000000000000001 Time: 0.0101",
        "Conv-1 + ReLU-2 (CaskConvolution[0x80000009]) profiling completed in 0.1 seconds. Fastest Tactic: "
        "0xf000000000000001 Time: 0.0101",
        RUNNER.replace("Cask", "Cudnn"),
        "Tactic: 0x000000000000000b Time: 0.01",
        chose("0x000000000000000b"),
        head=head,
    )
    assert trial == TacticTrial("Conv-1 + ReLU-2", 0xB, 0.01, 0xF000000000000001, 0.0101, 3, DataType.FP32)
    assert trial.margin_pct == pytest.approx(1.0)


def test_a_single_or_slower_tactic_is_no_trial() -> None:
    one = "Tactic: 0x01 Time: 0.01"
    other = "Tactic: 0x02 Time: 0.02"
    assert trials(BEGIN, RUNNER, one, chose("0x01")) == ()  # one alone
    assert trials(BEGIN, RUNNER, one, other, chose("0x02")) == ()  # not for its time
    assert trials(BEGIN, RUNNER, one, other) == ()  # nothing was chosen
    assert trials(RUNNER, one, other, chose("0x01")) == ()  # before any combination
    reformat = "*************** Autotuning Reformat: Float(784,784,28,1) -> Half(784,784,28,1) ***************"
    assert trials(reformat, RUNNER, one, other, chose("0x01")) == ()
    assert len(trials(BEGIN, RUNNER, one, other, chose("0x01"))) == 1


@pytest.mark.parametrize("broken", ["Time: nan", "Time: inf", "Time: -1", "Time: x", "Time: ", "Time: 1e999", "Time"])
def test_broken_times_are_none(broken: str) -> None:
    given = (BEGIN, RUNNER, f"Tactic: 0x03 {broken}", "Tactic: 0x01 Time: 0.01", "Tactic: 0x02 Time: 0.02")
    (trial,) = trials(*given, chose("0x01"))
    assert trial.tried == 2 and trial.second == 2


@pytest.mark.parametrize("broken", ["0xzz", "", "1", "0x" + "f" * 40])
def test_broken_tactics_are_none(broken: str) -> None:
    assert trials(BEGIN, RUNNER, f"Tactic: {broken} Time: 0.01", "Tactic: 0x02 Time: 0.02", chose(broken)) == ()


def test_the_largest_margin_of_several_combinations_counts() -> None:
    def combination(second: str) -> tuple[str, ...]:
        return BEGIN, RUNNER, "Tactic: 0x01 Time: 0.01", f"Tactic: 0x02 Time: {second}", chose("0x01")

    (trial,) = trials(*combination("0.0101"), *combination("0.02"), *combination("0.015"))
    assert trial.second_ms == 0.02


def test_a_tactic_that_takes_no_time_is_no_error() -> None:
    (trial,) = trials(BEGIN, RUNNER, "Tactic: 0x01 Time: 0", "Tactic: 0x02 Time: 0.1", chose("0x01"))
    assert trial.margin_pct == float("inf")


def test_runs_have_their_own(shared_logs: Path) -> None:
    log = (shared_logs / "trt8.4-sparsity-python-verbose.log").read_bytes()
    first, second = read_log(log, "x").runs
    assert first.metadata.trials and second.metadata.trials and first.metadata.trials != second.metadata.trials
    of = {trial.layer: trial for trial in first.metadata.trials if trial.tactic == 0x2}
    assert of["(Unnamed Layer* 1) [Convolution]"].second_ms == 0.749909


def test_an_interleaved_line_has_no_time() -> None:
    lines = TacticLines()
    for text in (BEGIN, RUNNER):
        lines.add((HEADS["trtexec"] + text).encode())
    torn = f"{HEADS['trtexec']}Tactic: 0x01 {HEADS['trtexec']}Tactic: 0x02 Time: 0.01".encode()
    assert not lines.is_time(torn) and not lines.is_time(b"Tactic: 0x01 Time: 0.01")
    assert lines.is_time(f"{HEADS['python']}Tactic: 0x01 Time: 0.01".encode())


def test_the_fast_path_reads_the_same(shared_logs: Path) -> None:
    log = (shared_logs / "trt8.6-build-verbose.log").read_bytes()
    lines = TacticLines()
    for line in log.split(b"\n"):
        lines.add(line)
    (run,) = read_log(log, "x").runs
    assert len(run.metadata.trials) == 41 and lines.take() == run.metadata.trials


def test_the_fastest_of_each_combination_of_types() -> None:
    lines = TacticLines()
    for formats, ms in (
        ("Float(784,784,28,1) -> Float(25088,784,28,1)", 0.03),
        ("Float(784,1,28,1) -> Float(25088,1,896,32)", 0.02),
        ("Half(784,784,28,1) -> Half((* 256 E0),E0,(# 3 (SHAPE x)),1) where E0=(* 2 (# 2 (SHAPE x)))", 0.01),
        ("Int8(1,1:4), Float(1) -> Int8(1)", 0.005),
    ):
        begin = f"*************** Autotuning format combination: {formats} ***************"
        for text in (begin, RUNNER, f"Tactic: 0x01 Time: {ms}", "Tactic: 0x02 Time: 1", chose("0x01")):
            lines.add((HEADS["trtexec"] + text).encode())
    types = DataType.FP32, DataType.FP16, DataType.INT8
    fp32, fp16, int8 = types
    assert [(each.reads, each.writes, each.fastest_ms) for each in lines.take_timings()] == [
        ((fp32,), (fp32,), 0.02),
        ((fp16,), (fp16,), 0.01),
        ((int8, fp32), (int8,), 0.005),
    ]
    assert lines.take_timings() == ()


@pytest.mark.parametrize(("build_s", "noted"), [("100.0", True), ("59.0", False), ("400.0", False)])
def test_reformats_that_took_much_of_a_long_build(build_s: str, noted: bool) -> None:
    head = HEADS["trtexec"]
    reformats = [
        f"{head}Optimizer Reformat({tensor} -> <out>) (Reformat[0x80000006]) profiling completed in {seconds} seconds. "
        "Fastest Tactic: 0x1 Time: 0.1"
        for tensor, seconds in (("x", "20.5"), ("x", "20.5"), ("y", "21"), ("z", "1..2"))
    ]
    end = f"{head.replace('[V]', '[I]')}Engine generation completed in {build_s} seconds."
    (run,) = read_log("\n".join([*reformats, end]).encode(), "x.log").runs
    notes = [note for note in run.metadata.notes if note.code == "reformats-in-build-time"]
    assert len(notes) == noted
    if noted:
        assert notes[0].message == "62 % of the build (1 min 40 s) timed reformats of 2 tensors"


def test_formats_are_read_once_for_all_lines_of_myelin(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []
    types = tactic_lines._types

    def counted_types(side: bytes) -> Any:
        read.append(side)
        return types(side)

    monkeypatch.setattr(tactic_lines, "_types", counted_types)
    table = (
        "(foreignNode) Autotuning op {}: [ONNX Layer: n]",
        "(foreignNode) tactic_id, cost(in ms), kernel",
        "(foreignNode) 0, 0.01, 1.0, 1.0, k, 0xa1,",
        "(foreignNode) 1, 0.02, 1.0, 1.0, k, 0xa2,",
        "(foreignNode) The selected tactic is (tactic hash, cost(in ms)):0xa1, 0.01",
    )
    lines = [line.format(f"op{number}") for number in range(20) for line in table]
    found = trials(BEGIN, RUNNER, *lines)
    assert len(found) == 20 and len(read) == 1
    assert len({id(trial.region) for trial in found}) == 1 and found[0].region == "Conv-1 + ReLU-2"
