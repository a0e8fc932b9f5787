"""Folders are added on workers as they are here; one that can't be read stops nothing."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.simulated_examples import SIMULATED
from trex.core.errors import TrexError
from trex.store.adding import AddOptions
from trex.store.run_store import RunStore
from trex.sweep import cluster
from trex.sweep.adding import add_on_workers

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("sweep")]  # one cluster, which takes seconds to start


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Two engines at different depths, a broken one, and files of other kinds."""
    root = tmp_path / "engines"
    shutil.copytree(SIMULATED / "resnet18-fp16", root / "a" / "deep")
    shutil.copytree(SIMULATED / "resnet18-int8", root / "b")
    (root / "bad").mkdir()
    (root / "bad" / "x.graph.json").write_text("{")
    (root / "notes").mkdir()
    (root / "notes" / "readme.txt").write_text("nothing")
    return root


def test_folders_are_added_once_and_bad_ones_are_listed(client, folders, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "_IN_FLIGHT", 2)
    store = RunStore.open(tmp_path / "store", create=True)
    options = AddOptions(labels={"branch": "main"}, is_recursive=True)
    result = add_on_workers(client, store, (str(folders),), options)
    assert sorted(run.name for run in result.added) == ["resnet18-fp16", "resnet18-int8"] and not result.known
    assert [Path(item.address).name.partition(":")[0] for item in result.failed] == ["x.graph.json"]
    again = add_on_workers(client, store, (folders.as_uri(), str(folders / "b"), str(folders / "gone")), options)
    assert not again.added and {run.id for run in again.known} == {run.id for run in result.added}
    assert str(folders / "gone") in {item.address for item in again.failed}


def test_a_folder_that_ends_its_workers_is_listed(folders, tmp_path):
    def killed() -> None:
        raise RuntimeError("the worker died 4 times")

    client = SimpleNamespace(
        submit=lambda function, *arguments, pure: SimpleNamespace(
            result=killed if arguments[-1].endswith("bad") else lambda: function(*arguments)
        ),
        cancel=lambda futures: None,
    )
    store = RunStore.open(tmp_path / "store", create=True)
    result = add_on_workers(client, store, (str(folders / "bad"), str(folders / "b")), AddOptions())
    assert [item.address for item in result.failed] == [str(folders / "bad")] and len(result.added) == 1
    assert "the worker died 4 times" in result.failed[0].message


def test_a_store_that_takes_no_files_is_an_error(client, folders, tmp_path):
    store = RunStore.open(tmp_path / "store", create=True)
    (tmp_path / "store" / "tables").write_text("in the place of the folder")
    with pytest.raises(TrexError, match="can't be written") as caught:
        add_on_workers(client, store, (str(folders / "b"),), AddOptions())
    assert caught.value.hint and caught.value.where.startswith(str(tmp_path / "store"))
