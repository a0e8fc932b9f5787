"""Queries that see fewer runs than the store has say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.conftest import Add
from trex.cli.main import main
from trex.core.errors import TrexError
from trex.store.columns import RUNS as RUNS_TABLE
from trex.store.history import history_of
from trex.store.run_store import RunStore
from trex.store.selection import RunSelection, select
from trex.store.without_rows import runs_without_rows


def test_every_way_to_the_rows_says_that_some_are_missing(
    store: RunStore, add: Add, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a repair that was killed leaves them."""
    runs = [add(ms, 0.5, name=name, model=name) for name, ms in (("a", 1.0), ("b", 2.0))]
    assert runs_without_rows(store) == ()
    (rows,) = (tmp_path / "store" / "tables" / RUNS_TABLE.name).rglob(f"{runs[0].id}*")
    rows.unlink()
    store.refresh()
    (note,) = runs_without_rows(store)
    assert note in history_of(store, "b").notes
    for select_of_it in (lambda: history_of(store, "a"), lambda: select(store, RunSelection("", {"model": "a"}))):
        with pytest.raises(TrexError) as error:
            select_of_it()
        assert "1 run without rows: trex store fsck" in error.value.hint
    assert main(["store", "query", "SELECT id FROM runs", "--store", str(tmp_path / "store")]) == 0
    out = capsys.readouterr().out
    assert runs[1].id in out and note.code in out
