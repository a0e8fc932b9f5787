"""SQL over a store: read-only, and nothing outside the tables."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.store.conftest import Add
from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.store import queries
from trex.store.columns import TABLES
from trex.store.compaction import compact
from trex.store.run_store import RunStore


def test_tables_have_the_declared_columns_and_types(store: RunStore, add: Add) -> None:
    for has_rows in (False, True):
        for name, table in TABLES.items():
            described = store.queries.rows(f"SELECT * FROM (DESCRIBE {name})")
            assert [row[0] for row in described] == [column.name for column in table.columns]
            if has_rows:
                kinds = {row[0]: row[1] for row in described}
                same = {"TIMESTAMP_MS": ("TIMESTAMP_MS", "TIMESTAMP")}
                for column in table.columns:
                    assert kinds[column.name] in same.get(column.type, (column.type,)), column.name
        add(0.5, 0.25, labels={"sweep": "a"})
    assert store.sql("SELECT labels['sweep'] AS sweep FROM runs").iloc[0, 0] == "a"


def test_a_query_can_do_nothing_else(
    store: RunStore, add: Add, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither read other files, nor write, nor load extensions, nor change settings, nor see Python's variables."""
    add(0.5)
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    runs = 1  # noqa: F841
    written = tmp_path / "store" / "tables" / "x.csv"
    for text in (
        f"SELECT * FROM read_csv('{secret}')",
        f"SELECT * FROM '{secret}'",
        f"SELECT * FROM read_text('{tmp_path}/store/tables/../../secret.csv')",
        f"SELECT * FROM glob('{tmp_path}/*')",
        f"SELECT * FROM read_text('{tmp_path}/store/store.json')",
        f"COPY (SELECT 1) TO '{written}'",
        f"EXPORT DATABASE '{tmp_path}/x'",
        f"ATTACH '{tmp_path}/x.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "CREATE TABLE x AS SELECT 1",
        "DROP VIEW runs",
        "DELETE FROM runs",
        "SELECT 1; SELECT 2",
        "SELECT * FROM secret",
        "SELECT getenv('HOME')",
        "",
        "not SQL at all",
        "SELECT * FROM runs WHERE model = 'a",
    ):
        with pytest.raises(TrexError):
            store.sql(text)
    assert not written.exists() and sorted(path.name for path in tmp_path.iterdir()) == [
        "engine-0", "secret.csv", "store",
    ]  # fmt: skip
    assert store.sql("SELECT count(*) FROM runs").iloc[0, 0] == 1  # an error leaves the connection as it was


def test_a_query_without_an_end_stops(store: RunStore, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    add(0.5)
    endless = "SELECT range AS a, range AS b FROM range(1000000000000)"
    monkeypatch.setattr(queries, "_CHUNK", 100)
    monkeypatch.setattr(queries, "MOST_CELLS", 1000)
    with pytest.raises(TrexError, match="more than 1,000 values"):
        store.queries.names_and_rows(endless)
    assert len(store.queries.names_and_rows(endless, most=7)[1]) == 7
    assert len(store.queries.names_and_rows(endless + " LIMIT 500")[1]) == 500
    monkeypatch.setattr(queries, "MEMORY", "50MB")
    store = RunStore(store.storage)
    with pytest.raises(TrexError, match="more than 50MB of memory"):
        store.queries.rows("SELECT list(range) FROM range(1000000000000)")


def test_a_misspelled_column_names_the_tables(store: RunStore, add: Add) -> None:
    with pytest.raises(TrexError, match="gpu_computems") as error:
        store.sql("SELECT gpu_computems FROM runs")
    assert "layers" in error.value.hint


def test_hostile_names_are_values(store: RunStore, tmp_path: Path) -> None:
    name = "a'; DROP TABLE runs; --\x1b[2J"
    folder = write_engine(tmp_path / "it's a folder'", layer_ms=(0.5,))
    run = store.add(folder, model=name, labels={name: name, "lone": "\ud800"}, commit=name)
    ((labels, commit),) = store.queries.rows("SELECT labels, commit FROM runs WHERE id = ?", [run.id])
    assert labels[name] == name and commit == name
    assert store.run(run.id).labels[name] == name


@pytest.mark.parametrize("name", ["it's [a] store*", "b?", "[ab]", "k[", "k[!a]**"])
def test_a_store_in_a_folder_with_an_odd_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """DuckDB would read the stores next to it, too."""
    monkeypatch.chdir(tmp_path)
    store = RunStore.open(Path(name), create=True)
    store.add(write_engine(tmp_path / "engine"))
    for sibling in ("a", "bc", "ka"):
        shutil.copytree(name, sibling)
    assert len(RunStore.open(Path(name)).frame("layers")) == 2
    compact(RunStore.open(Path(name)))
    assert len(RunStore.open(Path(name)).frame("layers")) == 2 and len(RunStore.open(Path("a")).frame("layers")) == 2


def test_a_signal_ends_a_query(store: RunStore) -> None:
    """DuckDB does not look at signals."""
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        store.sql("SELECT count(*) FROM range(1000000000000)")
    assert time.monotonic() - begin < 60.0
    assert store.queries.rows("SELECT 1") == [(1,)]


@pytest.mark.parametrize("sql", ["SELECT INTERVAL '10000000 years'", "SELECT 1 -- \udcff"])
def test_what_python_cannot_hold_is_an_error_of_ours(store: RunStore, sql: str) -> None:
    with pytest.raises(TrexError) as raised:
        store.queries.rows(sql)
    assert raised.value.hint


@pytest.mark.parametrize("value", ["date '99999-01-01'", "'24:00'::time", "map{[1]: 2}"])
def test_what_pandas_cannot_hold_is_an_error_of_ours(store: RunStore, value: str) -> None:
    with pytest.raises(TrexError, match="can't be shown"):
        store.sql(f"SELECT {value}")
