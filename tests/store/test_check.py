"""Damage is named by file, repaired from the runs' own files, and nothing is lost."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from tests.store.conftest import Add
from trex.core.errors import TrexError
from trex.store.check import check_store, repair_store
from trex.store.columns import TABLES
from trex.store.compaction import ORDER, compact
from trex.store.garbage import collect_garbage
from trex.store.listing import list_runs
from trex.store.run_store import RunStore
from trex.store.table_files import parquet_bytes
from trex.store.transfer import export_runs, import_runs


def rows(store: RunStore) -> dict[str, list[tuple[object, ...]]]:
    store.refresh()
    return {name: store.queries.rows(f"SELECT * FROM {name} ORDER BY {ORDER[name]}") for name in TABLES}


def garble(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] + b"\xff\xfe" * 8)


def no_rows(path: Path) -> None:
    path.write_bytes(parquet_bytes(TABLES["runs"], ()))


def pipe(path: Path) -> None:
    path.unlink()
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes with names")
    os.mkfifo(path)


DAMAGES = {
    "loose layers": ("tables/layers/date*/*/*.parquet", garble, False),
    "missing samples": ("tables/samples/date*/*/*.parquet", Path.unlink, False),
    "empty findings": ("tables/findings/date*/*/*.parquet", lambda path: path.write_bytes(b""), False),
    "a pipe as runs": ("tables/runs/date*/*/*.parquet", pipe, False),
    "a pipe as index": ("tables/compacted/*.json", pipe, True),
    "compacted layers": ("tables/layers/compacted/*.parquet", garble, True),
    "missing compacted runs": ("tables/runs/compacted/*.parquet", Path.unlink, True),
    "index": ("tables/compacted/*.json", garble, True),
    "another table": ("tables/runs/compacted/*.parquet", no_rows, True),
    "fewer ids": ("tables/compacted/*.ids", lambda path: path.write_text(""), True),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_damaged_tables_are_named_and_made_again(store: RunStore, add: Add, what: str) -> None:
    glob, damage, is_compacted = DAMAGES[what]
    add(0.5, 0.25, job_key="k")
    add(0.75)
    if is_compacted:
        compact(store)
    before = rows(store)
    root = Path(store.storage.where)
    path = sorted(root.glob(glob))[0]
    damage(path)
    store.refresh()
    problems = check_store(store).problems
    assert path.relative_to(root).as_posix() in {problem.path for problem in problems}
    check = repair_store(store)
    assert not check.problems and check.runs == 2 and len(check.repaired) == (2 if is_compacted else 1)
    assert rows(store) == before
    assert not check_store(store).problems


def test_a_sound_store_has_no_problems(store: RunStore, add: Add) -> None:
    add(0.5, job_key="k")
    assert check_store(store).problems == () and repair_store(store).repaired == ()
    compact(store)
    assert check_store(store).problems == () and repair_store(store).repaired == ()


def test_a_damaged_artifact_comes_back_when_the_folder_is_added(store: RunStore, add: Add, tmp_path: Path) -> None:
    run = add(0.5)
    for number, damage in enumerate((garble, Path.unlink)):
        path = (
            tmp_path / "store" / "artifacts" / run.artifacts[number].sha256[:2] / f"{run.artifacts[number].sha256}.zst"
        )
        damage(path)
        (problem,) = check_store(store).problems
        assert problem.path.endswith(path.name) and problem.run == run.id
        assert run.artifacts[number].name in problem.message
        (problem,) = repair_store(store).problems
        assert problem.message.startswith("the file is missing")
        assert store.add(tmp_path / "engine-0").id == run.id
        assert not check_store(store).problems


def test_a_manifest_with_any_other_number_or_word_is_damaged(store: RunStore, add: Add, tmp_path: Path) -> None:
    run = add(0.5)
    path = tmp_path / "store" / "runs" / run.id / "run.json"
    text = path.read_text()
    facts = [index for index, letter in enumerate(text) if letter.isalnum()]
    for index in (*facts[::7], *facts[-80::20]):
        changed = chr(ord(text[index]) ^ 1)
        if changed.isalnum():
            path.write_text(text[:index] + changed + text[index + 1 :])
            assert check_store(store).problems, text[index - 20 : index + 20]
    path.write_text(text)
    assert not check_store(store).problems


def test_damaged_manifests_and_strangers(store: RunStore, add: Add, tmp_path: Path) -> None:
    first, second = add(0.5), add(0.75)
    root = tmp_path / "store"
    garble(root / "runs" / first.id / "run.json")
    shutil.copytree(root / "runs" / second.id, root / "runs" / ("0" * 16))
    (root / "runs" / "notes.txt").write_text("mine")
    (root / "tables" / "runs" / "README").write_text("mine")
    paths = {problem.path for problem in check_store(store).problems}
    assert {f"runs/{first.id}/run.json", f"runs/{'0' * 16}/run.json"} <= paths
    (table,) = [path for path in paths if path.startswith("tables")]
    assert first.id in table
    lost = {problem.path for problem in repair_store(store).problems if "is lost" in problem.message}
    assert lost == {f"runs/{first.id}/run.json", f"runs/{'0' * 16}/run.json"}
    assert len(store.frame("runs")) == 1 and not check_store(store).problems
    assert store.add(tmp_path / "engine-0").id == first.id
    assert not check_store(store).problems and len(store.frame("runs")) == 2
    assert (root / "runs" / "notes.txt").read_text() == "mine"


def test_a_compacted_run_without_its_manifest(store: RunStore, add: Add, tmp_path: Path) -> None:
    """Its rows are still there, and its files are those of no run: gc must not take them for garbage."""
    first, _ = add(0.5), add(0.75)
    compact(store)
    before = rows(store)
    shutil.rmtree(tmp_path / "store" / "runs" / first.id)
    (problem,) = check_store(store).problems
    assert problem.path == f"runs/{first.id}/run.json" and rows(store) == before
    with pytest.raises(TrexError, match="manifest of a run is missing"):
        collect_garbage(store, 0.0)
    (problem,) = repair_store(store).problems
    assert problem.message.startswith("the run is lost")
    assert not check_store(store).problems and len(store.frame("runs")) == 1
    assert store.add(tmp_path / "engine-0").id == first.id
    assert not check_store(store).problems and rows(store).keys() == before.keys() and len(store.frame("runs")) == 2


@pytest.mark.parametrize("is_damaged", [False, True])
@pytest.mark.parametrize("is_compacted", [False, True])
def test_a_manifest_that_a_sync_brings_later_brings_its_run_back(
    is_compacted: bool, is_damaged: bool, store: RunStore, add: Add, tmp_path: Path
) -> None:
    """A repair took the run for lost; only the mark of a removal removes a run that is whole."""
    run, _ = add(0.5), add(0.75)
    if is_compacted:
        compact(store)
    before = rows(store)
    manifest, kept = tmp_path / "store" / "runs" / run.id / "run.json", tmp_path / "kept.json"
    shutil.copy(manifest, kept)
    for is_whole in (True, False):
        if is_damaged:
            manifest.write_text("half a manifest")
        else:
            shutil.rmtree(manifest.parent)
        (problem,) = repair_store(store).problems
        assert problem.message.startswith("the run is lost") and len(store.frame("runs")) == 1
        with pytest.raises(TrexError, match=f"nothing is removed: the run {run.id} is lost"):
            collect_garbage(store, 0.0)
        manifest.parent.mkdir(exist_ok=True)
        shutil.copy(kept, manifest)
        (problem,) = check_store(store).problems
        assert problem.repair == "makes the rows again"
        if is_whole:
            check = repair_store(store)
            assert (check.problems, check.repaired, check.removed) == ((), (run.id,), ())
            assert rows(store) == before and not check_store(store).problems
    store.remove(run.id)
    manifest.parent.mkdir(exist_ok=True)
    shutil.copy(kept, manifest)
    check = repair_store(store)
    assert (check.problems, check.repaired, check.removed) == ((), (), (run.id,)) and not manifest.exists()
    assert collect_garbage(store, 0.0).files  # the mark of a removal keeps nothing


def test_a_job_without_its_mark(store: RunStore, add: Add, tmp_path: Path) -> None:
    add(0.5, job_key="k")
    shutil.rmtree(tmp_path / "store" / "jobs")
    assert not store.has_job("k") and len(check_store(store).problems) == 1
    assert not repair_store(store).problems and store.has_job("k")


def test_an_interrupted_removal_is_finished(store: RunStore, add: Add, tmp_path: Path) -> None:
    run = add(0.5, job_key="k")
    (tmp_path / "store" / "removed").mkdir()
    (tmp_path / "store" / "removed" / run.id).touch()
    (problem,) = check_store(store).problems
    assert problem.repair == "removes it" and store.frame("runs").empty and not store.has_job("k")
    assert repair_store(store).problems == () and not (tmp_path / "store" / "runs" / run.id).exists()
    assert store.add(tmp_path / "engine-0", job_key="k").id == run.id and store.has_job("k")


@pytest.mark.parametrize("is_removed", [True, False])
def test_the_folder_alone_is_no_run(store: RunStore, add: Add, tmp_path: Path, is_removed: bool) -> None:
    """What is left by a removal, or an addition, that was killed next to its last, or first, step."""
    kept, other = add(0.5), "0123456789abcdef"
    if is_removed:
        other = add(0.7).id
        store.remove(other)
    left = tmp_path / "store" / "runs" / other
    left.mkdir()
    assert not check_store(store).problems and store.run_ids() == [kept.id]
    assert export_runs(store, tmp_path / "all.tar") == 1
    result = import_runs(RunStore.open(tmp_path / "other", create=True), store.storage.where)
    assert (result.added, result.failed) == ((kept.id,), ())
    collect_garbage(store, 0.0)
    assert not left.exists()


def test_a_pipe_is_not_waited_for(store: RunStore, add: Add) -> None:
    add(0.5)
    pipe(next(Path(store.storage.where).glob("tables/layers/date*/*/*.parquet")))
    store.refresh()
    with pytest.raises(TrexError, match="a device or a pipe"):
        store.queries.rows("SELECT * FROM layers")


@pytest.mark.parametrize("planted", ["tables/compacted", "damaged"])
def test_no_file_is_moved_through_a_link(store: RunStore, add: Add, tmp_path: Path, planted: str) -> None:
    add(0.5)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.json").write_text("mine")
    folder = tmp_path / "store"
    if planted == "damaged":
        (folder / "tables" / "compacted").mkdir()
        (folder / "tables" / "compacted" / "x.json").write_text("mine")
    (folder / planted).symlink_to(tmp_path / "home")
    with pytest.raises(TrexError, match="a link leads out of the store"):
        repair_store(store)
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["settings.json"]


def test_a_list_names_runs_whose_rows_are_lost(store: RunStore, add: Add) -> None:
    add(0.5)
    compact(store)
    store.refresh()
    assert not list_runs(store).notes
    next((Path(store.storage.where) / "tables" / "compacted").glob("*.json")).unlink()
    store.refresh()
    assert [note.code for note in list_runs(store).notes] == ["runs-without-rows"]


def test_a_repair_on_a_full_disk_says_so(store: RunStore, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    add(0.5)
    (table,) = (Path(store.storage.where) / "tables" / "layers").rglob("*.parquet")
    table.write_bytes(b"damaged")

    def full(*_: object) -> None:
        raise TrexError("No space left on device") from OSError(errno.ENOSPC, "")

    with monkeypatch.context() as patch:
        patch.setattr("trex.store.storage.whole_file", full)
        with pytest.raises(TrexError, match="No space left"):
            repair_store(store)
    assert repair_store(store).problems == ()
