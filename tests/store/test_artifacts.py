"""Files of a run that a store can't keep."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.store.check import check_store
from trex.store.run_store import RunStore


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
def test_a_name_that_is_no_text_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "engine", "net", (0.2, 0.3))
    store = RunStore.open(tmp_path / "store", create=True)
    with pytest.raises(TrexError, match="the commit is not UTF-8"):
        store.add(folder, commit="q\udcff")
    for file in folder.iterdir():
        file.rename(file.with_name(file.name.replace("net", "n\udce8t")))
    with pytest.raises(TrexError, match="name is not UTF-8"):
        store.add(folder)
    assert not list(store.manifests())
    assert check_store(store).problems == ()
