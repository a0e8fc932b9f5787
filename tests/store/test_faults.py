"""Several writers at once, writers that are killed, full disks and read-only stores: every run once, nothing torn."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.store.conftest import Add
from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.examples.network import write_network
from trex.simulation import process as capture
from trex.store.check import check_store, repair_store
from trex.store.compaction import compact
from trex.store.layout import utc_now
from trex.store.listing import list_runs
from trex.store.run_store import RunStore
from trex.store.transfer import import_runs

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")

ADD = """
import sys
from trex.store.run_store import RunStore
from trex.store.adding import AddOptions, add_addresses
import trex.store.readings, pyarrow.parquet, zstandard
print("ready", flush=True)
sys.stdin.readline()
result = add_addresses(RunStore.open(sys.argv[1], create=True), tuple(sys.argv[2:]), AddOptions())
print(len(result.added), len(result.known), len(result.failed))
"""


def writer(store: Path, folders: list[Path]) -> subprocess.Popen[str]:
    """Adds the folders once it is started."""
    process = subprocess.Popen(
        [sys.executable, "-c", ADD, str(store), *map(str, folders)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def start(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def check_whole(store: RunStore, count: int, layers: int) -> None:
    """Every run once, each with all its rows and files."""
    store.refresh()
    assert check_store(store).problems == ()
    assert store.queries.rows("SELECT count(*), count(DISTINCT id) FROM runs") == [(count, count)]
    assert store.queries.rows("SELECT count(*) FROM (SELECT DISTINCT id, layer FROM layers)") == [(count * layers,)]
    assert store.queries.rows("SELECT count(*) FROM layers") == [(count * layers,)]


def test_writers_with_overlapping_folders(tmp_path: Path) -> None:
    """Two add overlapping folders while a third compacts: every run is there once."""
    folders = [write_engine(tmp_path / f"engine-{number}", layer_ms=(0.5, 0.25 + number)) for number in range(12)]
    path = tmp_path / "store"
    store = RunStore.open(path, create=True)
    processes = [writer(path, folders[:8]), writer(path, folders[:3:-1])]
    for process in processes:
        start(process)
    while any(process.poll() is None for process in processes):
        time.sleep(0.05)
        compact(store)
        ((runs, layers),) = store.queries.rows(
            "SELECT count(DISTINCT r.id), count(*) FROM runs r JOIN layers USING (id)"
        )
        assert layers == 2 * runs
    counts = [list(map(int, process.communicate()[0].split())) for process in processes]
    assert [sum(count) for count in counts] == [8, 8] and [count[2] for count in counts] == [0, 0]
    check_whole(store, 12, 2)
    compact(store)
    check_whole(store, 12, 2)


def test_a_killed_writer(tmp_path: Path) -> None:
    """Killed at any moment: what counts is whole, and adding again completes the rest."""
    chance = random.Random(5)
    folders = [write_engine(tmp_path / f"engine-{number}", layer_ms=(0.5, 0.25 + number)) for number in range(12)]
    path = tmp_path / "store"
    store = RunStore.open(path, create=True)
    for turn in range(3):
        process = writer(path, folders[4 * turn : 4 * turn + 4])
        start(process)
        time.sleep(chance.uniform(0.0, 0.25))
        process.send_signal(signal.SIGKILL)
        process.wait()
        store.refresh()
        ((runs, layers),) = store.queries.rows(
            "SELECT count(DISTINCT r.id), count(*) FROM runs r JOIN layers USING (id)"
        )
        assert layers == 2 * runs
        if turn == 1:
            repair_store(store)
            assert check_store(store).problems == ()
    for folder in folders:
        store.add(folder)
    check_whole(store, 12, 2)


@pytest.mark.parametrize("step", range(0, 26, 5))
def test_a_disk_that_is_full_at_any_write(
    store: RunStore, add: Add, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """An add that fails leaves the store as it was; with space it succeeds."""
    import errno

    from trex.core import whole_file

    add(0.5)
    steps = iter(range(step, -1000, -1))
    replace = Path.replace

    def full(path: Path, target: Path) -> Path:
        if next(steps) <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return replace(path, target)

    folders = [write_engine(tmp_path / f"more-{number}", layer_ms=(0.75 + number,)) for number in range(3)]
    with monkeypatch.context() as patch:
        patch.setattr(whole_file.Path, "replace", full)
        with pytest.raises(TrexError, match="No space left"):
            for folder in folders:
                store.add(folder)
            compact(store)
        with pytest.raises(TrexError, match="No space left"):  # not once for every run
            import_runs(RunStore.open(tmp_path / "copy", create=True), str(tmp_path / "store"))
    store.refresh()
    ((runs, layers),) = store.queries.rows("SELECT count(DISTINCT r.id), count(*) FROM runs r JOIN layers USING (id)")
    assert runs == layers >= 1
    for folder in folders:
        store.add(folder)
    check_whole(store, 4, 1)


def test_a_read_only_store(store: RunStore, add: Add, tmp_path: Path) -> None:
    """It is read, and an add says what to do."""
    add(0.5)
    compact(store)
    folder = write_engine(tmp_path / "more", layer_ms=(0.75,))
    path = tmp_path / "store"
    mounted = subprocess.run(["mount", "--bind", path, path], capture_output=True)
    if mounted.returncode or subprocess.run(["mount", "-o", "remount,ro,bind", path], capture_output=True).returncode:
        subprocess.run(["umount", path], capture_output=True)
        pytest.skip("needs the right to mount")
    try:
        readonly = RunStore.open(path)
        assert readonly.queries.rows("SELECT count(*) FROM layers") == [(1,)]
        for write in (
            lambda: readonly.add(folder),
            lambda: readonly.remove(readonly.snapshot.compacted.__iter__().__next__()),
        ):
            with pytest.raises(TrexError, match="Read-only"):
                write()
    finally:
        subprocess.run(["umount", path], check=True)
    assert check_store(store).problems == ()


def test_clocks_that_disagree_are_noted(store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import timedelta

    from trex.store import run_store

    folder = write_engine(tmp_path / "engine")
    store.add(folder)
    assert not list_runs(store).notes
    monkeypatch.setattr(run_store, "utc_now", lambda: utc_now() + timedelta(days=2))
    store.add(folder, labels={"clock": "ahead"})
    monkeypatch.setattr(run_store, "utc_now", lambda: utc_now() - timedelta(days=2))
    store.add(folder, labels={"clock": "behind"})
    (note,) = list_runs(store).notes
    assert note.code == "clock-skew" and "1 runs were added in the future, 1 made after" in note.message


def test_store_baseline_and_process_at_the_same_time(tmp_path: Path) -> None:
    """Of one folder: each call ends well, and the store has the whole old or the whole new set of files."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2]), "TREX_STORE": "store"}

    def trex(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "trex", *words]
        return subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    model = write_network("alexnet", tmp_path / "alexnet.onnx")
    capture(model, tmp_path / "out", backend="simulated", device="A100 80GB PCIe")
    build = ("process", "alexnet.onnx", "out", "--backend", "simulated", "--device", "A100 80GB PCIe", "fp16")
    calls = [trex(*build), trex("store", "add", "out"), trex("baseline", "add", "out")]
    outputs = [call.communicate(timeout=100)[0] for call in calls]
    for call, output in zip(calls, outputs):
        assert call.returncode == 0 or (call.returncode == 1 and "changed while it was" in output), output
    store = RunStore.open(tmp_path / "store")
    store.add(tmp_path / "out")
    assert check_store(store).problems == ()
    ((runs, alike),) = store.queries.rows(
        "SELECT count(*), count(*) FILTER (abs(s.ms - r.layer_sum_ms) < 1e-9) FROM runs r "
        "JOIN (SELECT id, sum(time_ms) AS ms FROM layers GROUP BY id) s USING (id)"
    )
    assert runs == alike >= 1
