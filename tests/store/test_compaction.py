"""A compacted store answers as before; rows never count twice, whatever is left of an interrupted compaction."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.store.conftest import Add
from trex.core.errors import TrexError
from trex.store import compaction
from trex.store.check import check_store, repair_store
from trex.store.columns import TABLES
from trex.store.compaction import ORDER, compact
from trex.store.run_store import RunStore
from trex.store.sealed_parquet import seal


def content(store: RunStore) -> dict[str, list[tuple[object, ...]]]:
    store.refresh()
    return {
        name: store.queries.rows(f"SELECT * FROM {name} ORDER BY {ORDER[name]}")
        for name in TABLES
    }  # fmt: skip


def sealed_again(path: Path) -> None:
    with path.open("r+b") as file:
        seal(file)


def test_rows_are_the_same(store: RunStore, add: Add) -> None:
    for number in range(3):
        add(0.5, 0.25 + number, labels={"n": str(number)}, name=f"net{number % 2}")
    before = content(store)
    result = compact(store)
    assert (result.runs, result.files) == (3, 15) and content(store) == before
    assert compact(store).runs == 0 and content(store) == before
    run = add(9.0)
    assert len(content(store)["runs"]) == 4
    assert compact(store).runs == 4
    store.remove(run.id)
    assert content(store) == before
    assert compact(store).runs == 3 and content(store) == before


def test_an_interrupted_compaction_changes_nothing(
    store: RunStore, add: Add, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """At whatever write or removal it stops, rows count once, and the next one ends well."""
    add(0.5)
    compact(store)
    add(0.25, 0.125)
    before = content(store)
    saved = tmp_path / "saved"
    shutil.copytree(tmp_path / "store", saved)
    write, delete = store.writable().write, store.writable().delete
    # ids and index; rows of one run; tables, ids and index of the one before: 2 + 5 + 5 + 2 steps
    for stop in (0, 1, 2, 9, 13):
        shutil.rmtree(tmp_path / "store")
        shutil.copytree(saved, tmp_path / "store")
        steps = iter(range(stop, -1, -1))

        def stopping(path: str, content: bytes, steps=steps, write=write) -> Path:
            if next(steps) == 0:
                raise KeyboardInterrupt
            return write(path, content)

        def stopping_delete(path: str, steps=steps, delete=delete) -> bool:
            if next(steps) == 0:
                raise KeyboardInterrupt
            return delete(path)

        with monkeypatch.context() as patch:
            patch.setattr(store.storage, "write", stopping)
            patch.setattr(store.storage, "delete", stopping_delete)
            with pytest.raises(KeyboardInterrupt):
                compact(store)
        assert content(store) == before, stop
        if stop == 9:
            compact(store)
            assert content(store) == before, stop


def test_a_link_in_the_place_of_a_file_is_not_followed(store: RunStore, add: Add, tmp_path: Path) -> None:
    add(0.5, 0.25)
    kept = tmp_path / "kept"
    kept.write_text("the user's")
    storage = store.writable()
    for name in ("index.json", "ids"):
        link = storage.path(f"tables/{name}")
        link.symlink_to(kept)
        with pytest.raises(TrexError, match="a link or a pipe"):
            storage.write(f"tables/{name}", b"x")
    assert kept.read_text() == "the user's"


def test_two_compactions_at_once_count_once(store: RunStore, add: Add, tmp_path: Path) -> None:
    """Two copies that were compacted apart are synced: rows of both count once."""
    add(0.5)
    shutil.copytree(tmp_path / "store", tmp_path / "other")
    other = RunStore.open(tmp_path / "other")
    add(0.25)
    compact(store)
    compact(other)
    before = content(store)
    shutil.copytree(tmp_path / "other", tmp_path / "store", dirs_exist_ok=True)
    store.refresh()
    assert len(store.snapshot.compactions) == 2
    assert content(store) == before
    compact(store)
    assert len(store.snapshot.compactions) == 1 and content(store) == before


def test_a_compaction_overtaken_by_another_begins_again(
    store: RunStore, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(0.5)
    add(0.25)
    before = content(store)
    connected, calls = compaction.connected, []

    def overtaken(*given: object) -> object:
        calls.append(given)
        if len(calls) == 1:
            compact(RunStore.open(store.storage.where))
            add(0.75)
        return connected(*given)

    monkeypatch.setattr(compaction, "connected", overtaken)
    assert compact(store).runs == 3 and len(calls) == 3
    after = content(store)["runs"]
    assert len(after) == 3 and all(row in after for row in before["runs"])


def test_a_folder_that_a_compaction_removed_is_made_again(
    store: RunStore, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the moment when a writer made it and that when the writer uses it, it is empty."""
    add(0.5)
    storage = store.writable()
    left = [True, True]
    make = storage.make_folder

    def made_and_removed(self: object, folder: Path) -> None:
        make(folder)
        if left and folder.name.startswith("device="):
            left.pop()
            folder.rmdir()

    monkeypatch.setattr(type(storage), "make_folder", made_and_removed)
    storage.write("tables/tactics/device=gpu/x.parquet", b"rows")
    assert not left and storage.read("tables/tactics/device=gpu/x.parquet") == b"rows"


def test_a_reader_finds_what_a_compaction_moved(store: RunStore, add: Add) -> None:
    add(0.5)
    add(0.25)
    reader = RunStore.open(store.storage.where)
    assert reader.queries.rows("SELECT count(*) FROM runs") == [(2,)]
    compact(store)
    assert reader.queries.rows("SELECT count(*) FROM layers") == [(2,)]


def test_a_newer_column_is_left_out_and_an_older_file_lacks_one(store: RunStore, add: Add) -> None:
    import pyarrow.parquet as pq

    run = add(0.5)
    (path,) = Path(store.storage.where).glob("tables/runs/*/*/*.parquet")
    table = pq.read_table(path).drop_columns(["clock_mhz"])
    pq.write_table(table.append_column("of_tomorrow", [["x"]]), path)
    sealed_again(path)
    add(0.25)
    frame = store.frame("runs")
    assert len(frame) == 2 and "of_tomorrow" not in frame and frame["clock_mhz"].isna().all()
    compact(store)
    assert len(store.frame("runs")) == 2 and store.run(run.id)


def test_a_damaged_file_is_named(store: RunStore, add: Add) -> None:
    add(0.5)
    (path,) = Path(store.storage.where).glob("tables/layers/*/*/*.parquet")
    path.write_bytes(b"PAR1" + b"\0" * 100 + b"PAR1")
    for ask in (lambda: store.frame("layers"), lambda: compact(store)):
        with pytest.raises(TrexError, match=path.name) as error:
            ask()
        assert "fsck" in error.value.hint
    assert len(store.frame("runs")) == 1


@pytest.mark.parametrize("is_compacted", [False, True])
@pytest.mark.parametrize("table", TABLES)
def test_rows_of_another_run_are_not_merged(store: RunStore, add: Add, table: str, is_compacted: bool) -> None:
    """Afterwards nothing would tell that those of this one are gone."""
    root = Path(store.storage.where)
    add(0.5)
    (path,) = root.glob(f"tables/{table}/*/*/*.parquet")
    if is_compacted:
        compact(store)
        (path,) = root.glob(f"tables/{table}/compacted/*.parquet")
    other = add(0.25)
    before = content(store)
    shutil.copy(next(root.glob(f"tables/{table}/*/*/{other.id}.parquet")), path)
    with pytest.raises(TrexError, match="can't be compacted") as error:
        compact(store)
    assert path.name in error.value.where and "fsck --repair" in error.value.hint
    repair_store(store)
    compact(store)
    assert content(store) == before


def test_rows_that_a_compacted_file_lost_are_noticed(store: RunStore, add: Add) -> None:
    """Another valid file, of the same runs: the index knows the number of rows."""
    import pyarrow.parquet as pq

    add(0.5, 0.25)
    add(0.75)
    compact(store)
    (path,) = Path(store.storage.where).glob("tables/layers/compacted/*.parquet")
    pq.write_table(pq.read_table(path).slice(0, 1), path)
    sealed_again(path)
    (problem,) = check_store(store).problems
    assert problem.path.endswith(path.name) and problem.message == "it has 1 rows instead of 3"
    with pytest.raises(TrexError, match="instead of 3"):
        add(1.0) and compact(store)
