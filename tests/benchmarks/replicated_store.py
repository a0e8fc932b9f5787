"""A compacted store of many runs: rows of real engines, each many times over with other ids, days and times."""

from __future__ import annotations

import json
import os
from pathlib import Path

import duckdb

from tests.benchmarks.table import REPOSITORY
from trex.plan.loading import example_addresses
from trex.store.adding import AddOptions, add_addresses
from trex.store.columns import TABLES
from trex.store.compaction import ORDER, ROW_GROUP, USUAL_ROW_GROUP, compact
from trex.store.run_store import RunStore

RUNS_PER_MODEL = 100
_ENGINES = Path(os.environ.get("TREX_SHARED", REPOSITORY.parent / "shared")) / "engines"


def engines() -> tuple[str, ...]:
    """Real ones where they are next to the repository, else the bundled ones."""
    folders = sorted(str(path) for path in _ENGINES.iterdir() if path.is_dir()) if _ENGINES.is_dir() else []
    return tuple(folders) or example_addresses()


def write_store(folder: Path, runs: int) -> RunStore:
    """A store whose compacted files have so many runs: the model changes every hundred runs, the day with each."""
    store = RunStore.open(folder, create=True)
    add_addresses(store, engines(), AddOptions())
    compact(store)
    (compaction,) = store.snapshot.compactions
    connection = duckdb.connect()
    connection.execute(f"SET temp_directory = '{folder}/tables/.spilled'")
    connection.execute(
        "CREATE TABLE copies AS SELECT n, s.id AS old, md5(n::VARCHAR)[:16] AS id, "
        f"'model-' || (n // {RUNS_PER_MODEL}) AS model FROM range({runs}) t(n) JOIN "
        f"(SELECT id, row_number() OVER () - 1 AS row, count(*) OVER () AS count FROM {_read(store, 'runs')}) s "
        f"ON s.row = (n // {RUNS_PER_MODEL}) % s.count"
    )
    changed = {
        "made_at": "TIMESTAMP '2025-01-01' + INTERVAL 1 HOUR * c.n::INTEGER",
        "gpu_compute_ms": "s.gpu_compute_ms * (1 + 0.05 * sin(c.n))",
        "layer_sum_ms": "s.layer_sum_ms * (1 + 0.05 * sin(c.n))",
        "time_ms": "s.time_ms * (1 + 0.05 * sin(c.n))",
    }
    for name, table in TABLES.items():
        own = {"id": "c.id", "model": "c.model"}
        if name in ("runs", "layers"):
            own |= {column.name: changed[column.name] for column in table.columns if column.name in changed}
        columns = ", ".join(
            f'{own.get(column.name, f"s.{column.name}")} AS "{column.name}"' for column in table.columns
        )
        limit = "WHERE s.query < 10" if name == "samples" else ""
        path = Path(store.storage.address(compaction.tables[name]))
        copied = path.with_suffix(".copied")
        connection.execute(
            f"COPY (SELECT {columns} FROM {_read(store, name)} s JOIN copies c ON c.old = s.id {limit} "
            f"ORDER BY {ORDER[name]}) TO '{copied}' "
            f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP.get(name, USUAL_ROW_GROUP)})"
        )
        copied.replace(path)
    ids = [row[0] for row in connection.execute("SELECT id FROM copies ORDER BY id").fetchall()]
    Path(store.storage.address(compaction.ids_file)).write_text("\n".join(ids) + "\n")
    index = Path(store.storage.address(compaction.index_file))
    index.write_text(json.dumps({**json.loads(index.read_text()), "runs": runs}))
    return RunStore.open(folder)


def _read(store: RunStore, table: str) -> str:
    (compaction,) = store.snapshot.compactions
    return f"read_parquet('{store.storage.address(compaction.tables[table])}')"
