"""What people see of a sweep while it runs."""

from __future__ import annotations

import io
import time
from dataclasses import replace

import pytest

from trex.capture.options import CaptureOptions
from trex.cli.sweep_screen import JobLines, LiveTable, live_table, summary_line, watching_sweep
from trex.store.sweep_record import DONE, FAILED, STORED
from trex.sweep.job import Job, JobModel
from trex.sweep.progress import RUNNING, JobState, SweepProgress


@pytest.fixture
def progress() -> SweepProgress:
    """Four jobs: one done in 8 s, one in the store, one that failed, one that has run for 3 s."""
    job = Job("a" * 64, 0, {"model": "example:unet", "gpu": "A100"}, JobModel("", ""), CaptureOptions("", ""))
    jobs = [replace(job, key=f"{index}{job.key[1:]}", labels={**job.labels, "batch": f"{index}"}) for index in range(4)]
    states = tuple(JobState(job, seconds=8.0) for job in jobs)
    progress = SweepProgress("nightly", states, workers=1, dashboard="http://127.0.0.1:8787/status")
    for state, status in zip(states, (DONE, STORED, FAILED, RUNNING), strict=True):
        progress.moves(state, status)
    states[2].reason = "no outputs \x1b[31m"
    states[3].worker, states[3].phase, states[3].started = "cpu-0", "[bold]Timing", time.monotonic() - 3
    return progress


def test_the_summary_has_counts_and_the_time_left(progress):
    assert summary_line(progress) == "nightly: 1 of 3 done, 1 from the store, 1 failed; about 5 s left"
    progress.moves(progress.states[3], DONE)
    assert summary_line(progress) == "nightly: 2 of 3 done, 1 from the store, 1 failed"


def test_the_table_shows_running_jobs_failures_and_the_dashboard(progress):
    from rich.console import Console

    for width in (80, 40):
        console = Console(file=io.StringIO(), width=width, color_system="truecolor", record=True)
        console.print(live_table(progress, ("batch",), width))
        lines = console.export_text().rstrip("\n").split("\n")
        assert all(len(line) <= width for line in lines)
        assert lines[2].split() == ["worker", "job", "time", "phase"]
        assert lines[3].split()[:5] == ["cpu-0", "batch", "3", "3", "s"] and "[bold]" in lines[3]
        assert "failed  batch 2: no outputs" in lines[4]
    assert "8787" in lines[5]


def test_a_log_gets_one_line_per_job(progress, capsys):
    lines = JobLines()
    for state in progress.states:
        lines(progress, state)
    lines(progress, None)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "nightly: 1 of 3 done, 1 from the store, 1 failed; about 5 s left"
    assert said[1:] == ["3/4  done  batch 0  8 s", "3/4  stored  batch 1", r"3/4  failed  batch 2  no outputs \x1b[31m"]


def test_where_it_is_shown(monkeypatch):
    with watching_sweep(is_quiet=True) as observe:
        assert not isinstance(observe, JobLines | LiveTable)
    with watching_sweep() as observe:
        assert isinstance(observe, JobLines)
