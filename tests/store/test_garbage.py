"""Only what nothing needs is removed, and only when no writer can still need it."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from tests.store.conftest import Add
from trex.core.errors import TrexError
from trex.store import compaction
from trex.store.check import check_store
from trex.store.compaction import compact
from trex.store.garbage import collect_garbage
from trex.store.run_store import RunStore


def files_of(store: RunStore) -> set[str]:
    root = Path(store.storage.where)
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_files_of_removed_runs_go_and_shared_ones_stay(store: RunStore, add: Add) -> None:
    kept = add(0.5)
    before = files_of(store)
    removed = add(0.75)
    store.remove(removed.id)
    result = collect_garbage(store)
    assert (result.files, result.kept) == (0, 3)  # young: a writer may be about to need them
    assert collect_garbage(store, 0.0, is_dry_run=True).files == 3 and files_of(store) != before
    result = collect_garbage(store, 0.0)
    assert (result.files, result.kept) == (3, 0) and result.size_bytes > 0
    assert files_of(store) == before
    assert store.plan(kept.id).layers_ms == 0.5 and not check_store(store).problems
    assert collect_garbage(store, 0.0).files == 0


@pytest.mark.parametrize("is_compacted", [True, False])
def test_a_removed_run_that_an_older_copy_brings_stays_removed(store: RunStore, add: Add, is_compacted: bool) -> None:
    add(0.5)
    removed = add(0.75)
    root = Path(store.storage.where)
    shutil.copytree(root, root.with_name("copy"))
    store.remove(removed.id)
    if is_compacted:
        compact(store)
    missing = [path for path in root.with_name("copy").rglob("*") if path.is_file()]
    for path in missing:
        if not (target := root / path.relative_to(root.with_name("copy"))).exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    for _ in range(2):
        assert len(store.frame("runs")) == 1
        collect_garbage(store, 0.0)


def test_what_killed_writers_left_goes(store: RunStore, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    add(0.5, job_key="k")
    add(0.75)
    before = files_of(store)
    monkeypatch.setattr(compaction, "_remove_merged", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        compact(store)
    root = Path(store.storage.where)
    orphan = "0123456789abcdef"
    for path in (
        "runs/.run.json.abcdefgh.writing",
        f"tables/layers/date=2026-01-01/device=x/{orphan}.parquet",
        f"tables/layers/compacted/{orphan}.parquet",
        f"tables/compacted/{orphan}.ids",
        "tables/.compacting-x/layers.parquet",
        f"jobs/ab/abc/0-{orphan}",
        f"removed/{orphan}",
        f"artifacts/ab/{'ab' * 32}.zst",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    rows = store.queries.rows("SELECT id, time_ms FROM layers ORDER BY ALL")
    result = collect_garbage(store, 0.0)
    assert result.files == 8 + 10  # and the rows that are compacted
    store.refresh()
    assert store.queries.rows("SELECT id, time_ms FROM layers ORDER BY ALL") == rows
    assert len(files_of(store) - before) == 7 and not check_store(store).problems


def test_a_writer_makes_what_it_needs_young(store: RunStore, add: Add, tmp_path: Path) -> None:
    run = add(0.5)
    store.remove(run.id)
    for path in (tmp_path / "store" / "artifacts").rglob("*.zst"):
        os.utime(path, (time.time() - 1e6,) * 2)
    store.add(tmp_path / "engine-0", labels={"a": "b"})
    assert all(path.stat().st_mtime > time.time() - 1e5 for path in (tmp_path / "store/artifacts").rglob("*.zst"))


def test_nothing_goes_while_a_manifest_is_damaged(store: RunStore, add: Add) -> None:
    run = add(0.5)
    (Path(store.storage.where) / "runs" / run.id / "run.json").write_text("{")
    before = files_of(store)
    with pytest.raises(TrexError, match="nothing is removed"):
        collect_garbage(store, 0.0)
    assert files_of(store) == before


def test_files_of_others_stay(store: RunStore, add: Add) -> None:
    """In a store of the current folder, or behind a link in it."""
    add(0.5)
    root = Path(store.storage.where)
    for name in ("jobs/notes/today.txt", "artifacts/mine.zip", "removed/mine", "tables/layers/mine.parquet"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("mine")
    before = files_of(store)
    collect_garbage(store, 0.0)
    assert files_of(store) == before
