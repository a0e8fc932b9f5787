"""A sweep loses nothing and runs nothing twice, whatever fails."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from tests.waiting import wait_until
from trex.store.layout import TABLES
from trex.store.sweep_record import DONE, FAILED, QUARANTINED, STORED
from trex.sweep.claims import claimed, holder_of
from trex.sweep.failures import failures_of
from trex.sweep.progress import WAITING, known_seconds
from trex.sweep.running import Destination

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("sweep")]  # one cluster, which takes seconds to start

MANY = [f"name={index}" for index in range(6)]


def runs_of(sweep) -> list[tuple[str, int]]:
    """(options, repetition) of all runs in the store."""
    sweep.store.refresh()
    return sorted((run.labels["options"], run.repetition) for run in sweep.store.manifests())


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_every_job_is_run_once_and_stays_in_the_store(make_sweep):
    sweep = make_sweep(*MANY, repetitions=2)
    progress = sweep.run()
    assert progress.counts[DONE] == 12 and progress.is_over and progress.seconds_left() == 0
    assert runs_of(sweep) == sorted((word, index) for word in MANY for index in range(2))
    logs = [path.read_text() for path in (sweep.folder / "sweeps" / "test" / "logs").iterdir()]
    assert len(logs) == 12 and set(logs) == {"working\n"}
    assert not list((sweep.folder / "claims").iterdir())
    assert set(known_seconds(sweep.folder)) == {progress.states[0].job.kind}

    again = make_sweep(*MANY, "name=new", repetitions=2).run()
    assert (again.counts[STORED], again.counts[DONE]) == (12, 2)


def test_jobs_begin_in_the_order_of_the_matrix(make_sweep, tmp_path):
    starts = []
    words = [f"name={index}" for index in (3, 1, 5, 2, 4, 0)]
    sweep = make_sweep(*words, observe=lambda _, state: starts.append(state.job) if state and state.starts else None)
    jobs = [*sweep.jobs]
    sweep.run()
    order = list(dict.fromkeys(jobs.index(job) for job in starts))
    assert all(abs(index - number) <= 2 for number, index in enumerate(order)), order  # two workers


def test_files_come_back_where_the_store_is_not_shared(make_sweep):
    sweep = make_sweep(*MANY[:2], "bad", is_shared=False)
    progress = sweep.run()
    assert (progress.counts[DONE], progress.counts[FAILED]) == (2, 1)
    assert "can't be read" in progress.states[2].reason
    assert runs_of(sweep) == [(word, 0) for word in MANY[:2]]
    assert len(list((sweep.folder / "sweeps" / "test" / "logs").iterdir())) == 3


def test_a_job_that_always_fails_is_quarantined_with_its_reason(make_sweep, tmp_path):
    starts = tmp_path / "starts"
    words = (f"fail starts={starts}", "name=good")
    first = make_sweep(*words, retries=1, quarantine=3).run()
    assert (first.counts[DONE], first.counts[FAILED]) == (1, 1)
    assert first.states[0].reason == "the network has no outputs" and len(starts.read_text().splitlines()) == 2
    kept = failures_of(tmp_path / "store", first.states[0].job.key)
    assert [failure.reason for failure in kept] == ["the network has no outputs"] * 2
    assert kept[0].log[-1] == "[E] what the builder says"  # the folder is gone
    assert "[E] what the builder says" in "".join(path.read_text() for path in (tmp_path / "store").rglob("*.log"))
    make_sweep(*words, quarantine=3).run()
    third = make_sweep(*words, quarantine=3).run()
    assert third.counts[QUARANTINED] == 1 and len(starts.read_text().splitlines()) == 3
    assert third.states[0].reason == "failed 3 times: the network has no outputs"
    forced = make_sweep(*words, quarantine=3, is_forced=True).run()
    assert forced.counts[FAILED] == 1 and len(starts.read_text().splitlines()) == 4


def test_a_time_limit_ends_the_child_and_all_that_it_started(make_sweep, tmp_path):
    sweep = make_sweep(f"tree={tmp_path / 'pids'} sleep=60", time_limit_s=5)
    progress = sweep.run()
    assert progress.states[0].reason == "stopped after 5 s (time limit)"
    pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
    assert not any(map(is_running, pids)), pids


def test_a_killed_worker_loses_and_repeats_nothing(make_sweep, client, tmp_path):
    starts, gate = tmp_path / "starts", tmp_path / "gate"
    words = [f"name={index} starts={starts} until={gate}" for index in range(4)]
    pids = client.run(os.getpid)

    workers: set[str] = set()

    def kill_both(progress, _) -> None:
        workers.update(state.worker for state in progress.running.values())
        if len(progress.running) == 2 and not gate.exists():
            gate.touch()  # for the next tries
            for pid in pids.values():
                os.kill(pid, signal.SIGKILL)

    sweep = make_sweep(*words, observe=kill_both)
    progress = sweep.run()
    assert progress.counts[DONE] + progress.counts[STORED] == 4, [state.reason for state in progress.states]
    assert runs_of(sweep) == sorted((word, 0) for word in words)
    assert workers == {"cpu-0", "cpu-1"} and sum(state.starts for state in progress.states) >= 6
    client.wait_for_workers(2)


def test_an_interrupted_sweep_goes_on(make_sweep, tmp_path):
    gate, pid = tmp_path / "gate", tmp_path / "pid"
    words = ("name=quick", f"pid={pid} until={gate}")

    def interrupt(progress, _) -> None:
        if progress.counts[DONE] and pid.exists():
            sweep._stop("SIGINT")

    sweep = make_sweep(*words, observe=interrupt)
    progress = sweep.run()
    assert progress.stopped_by == "SIGINT" and (progress.counts[DONE], progress.counts[WAITING]) == (1, 1)
    assert not progress.running
    wait_until(lambda: not is_running(int(pid.read_text())))
    wait_until(lambda: not list((sweep.folder / "claims").iterdir()))
    assert runs_of(sweep) == [("name=quick", 0)]
    gate.touch()
    resumed = make_sweep(*words).run()
    assert (resumed.counts[STORED], resumed.counts[DONE]) == (1, 1)


def test_two_sweeps_at_once_run_no_job_twice(make_sweep, tmp_path):
    starts = tmp_path / "starts"
    words = [f"name={index} starts={starts} sleep=0.1" for index in range(6)]
    sweeps = [make_sweep(*words), make_sweep(*words)]
    results = []
    threads = [threading.Thread(target=lambda sweep=sweep: results.append(sweep.run())) for sweep in sweeps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [progress.counts[DONE] + progress.counts[STORED] for progress in results] == [6, 6]
    assert len(starts.read_text().splitlines()) == 6
    assert runs_of(sweeps[0]) == sorted((word, 0) for word in words)


def test_a_store_that_takes_no_files_ends_the_sweep(make_sweep):
    sweep = make_sweep(*MANY)
    (sweep.folder / TABLES).write_bytes(b"in the place of the folder: as if the disk were full")
    progress = sweep.run()
    assert "can't be written" in progress.problem and not progress.counts[FAILED]
    (sweep.folder / TABLES).unlink()
    assert make_sweep(*MANY).run().counts[DONE] == 6


def test_a_job_that_runs_elsewhere_is_waited_for(make_sweep):
    sweep = make_sweep("name=0")
    (job,) = sweep.jobs
    with claimed(sweep.folder, job.name, "another sweep"):
        thread = threading.Thread(target=lambda: sweep.run())
        thread.start()
        wait_until(lambda: sweep._busy)
        assert sweep.progress.states[0].reason == "runs in another sweep"
        assert holder_of(sweep.folder, job.name) == "another sweep"
    thread.join(60)
    assert sweep.progress.counts[DONE] == 1


def test_a_model_that_workers_do_not_see_is_sent(make_sweep, monkeypatch):
    monkeypatch.setattr("trex.sweep.sweep.sees", lambda paths: dict.fromkeys(paths, False))
    sweep = make_sweep("name=0")
    assert sweep.run().counts[DONE] == 1 and sweep._models


def test_a_destination_is_shared_if_its_probe_is_seen(tmp_path):
    (tmp_path / "probe").touch()
    assert Destination(str(tmp_path), "probe", "s").is_shared
    assert not Destination(str(tmp_path), "other", "s").is_shared
