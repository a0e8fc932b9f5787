"""What a sweep answers at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.capture.options import CaptureOptions
from trex.sweep.documents import _fastest_table, pairs_document
from trex.sweep.job import Job, JobModel, JobRun
from trex.sweep.pairs import PairResult, RunPair
from trex.sweep.progress import JobState, SweepProgress


def test_a_lucky_repetition_does_not_make_a_configuration_the_fastest(tmp_path: Path) -> None:
    model = JobModel(str(tmp_path / "m.onnx"), "0" * 64)
    times = {"fp16": (0.193, 0.361, 0.362), "best": (0.276, 0.276, 0.277)}
    states = [
        JobState(
            Job(name, number, {"model": "m.onnx", "precision": name}, model, CaptureOptions("m.onnx", "out")),
            run=JobRun("0", ms, 1.0, "measured"),
        )
        for name, repetitions in times.items()
        for number, ms in enumerate(repetitions)
    ]
    (row,) = _fastest_table(SweepProgress("s", tuple(states))).rows
    assert "best" in row and 0.276 in row


def test_queries_on_several_streams_count_by_their_throughput(tmp_path: Path) -> None:
    model = JobModel(str(tmp_path / "m.onnx"), "0" * 64)
    runs = {"one": (1.4449, 691.6), "four": (4.63, 864.8)}
    for is_known in (True, False):
        states = [
            JobState(
                Job(name, 0, {"model": "m.onnx", "options": name}, model, CaptureOptions("m.onnx", "out")),
                run=JobRun("0", ms, 8.0, "measured", rate if is_known or name == "one" else None),
            )
            for name, (ms, rate) in runs.items()
        ]
        (row,) = _fastest_table(SweepProgress("s", tuple(states))).rows
        assert ("four" in row) is is_known
        assert row[3] == pytest.approx(8 * 864.8 if is_known else 8000 / 1.4449)


def test_pairs_with_layers_faster_than_the_device_can_be_have_a_note() -> None:
    pair = RunPair("net", ("a",), ("b",), "1", "2")
    fast = PairResult(pair, 1.0, 0.03, -97.0, "faster", "same kernel", -0.97, too_fast="new: 18 layers were faster")
    for results, codes in (([fast, fast], ["faster-than-possible"]), ([PairResult(pair, 1.0, 1.0)], [])):
        (own,) = pairs_document("s", "batch", results).sections
        assert [note.code for note in own.notes] == codes
        assert all(note.message == "2 pairs: new: 18 layers were faster" for note in own.notes)
