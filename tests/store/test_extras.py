"""Without the packages of the extra, errors name it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.store.run_store import RunStore


@pytest.mark.parametrize("package", ["duckdb", "pyarrow", "fsspec"])
def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    store = RunStore.open(tmp_path / "store", create=True)
    folder = write_engine(tmp_path / "engine")
    if package != "pyarrow":
        store.add(folder)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TrexError, match=f"'{package}', which is not installed") as error:
        if package == "duckdb":
            store.frame("runs")
        elif package == "pyarrow":
            store.add(folder)
        else:
            RunStore.open(f"file://{tmp_path}/store")
    assert "[store]" in error.value.hint
