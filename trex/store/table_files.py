"""Rows → Parquet; which Parquet files of a store count."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from trex.core.errors import TrexError, missing_extra
from trex.core.printable import encodable
from trex.core.regular_file import parse_record
from trex.store.columns import RUNS as RUNS_TABLE
from trex.store.columns import TABLES as ALL_TABLES
from trex.store.columns import StoreTable
from trex.store.layout import COMPACTED, ID, REMOVED, TABLES
from trex.store.run import StoredRun
from trex.store.sealed_parquet import KEY, ZEROS, seal
from trex.store.storage import Storage


def parquet_bytes(table: StoreTable, rows: Sequence[Sequence[Any]]) -> bytes:
    """A Parquet file with the table's columns. Raises TrexError where pyarrow is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise missing_extra("pyarrow", "store", "writing a run store") from error

    schema = table.schema()
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(table.columns)
    arrays = [_array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    buffer = io.BytesIO()
    content = pa.Table.from_arrays(arrays, schema=schema.with_metadata({KEY: ZEROS}))
    pq.write_table(content, buffer, compression="zstd")
    seal(buffer)
    return buffer.getvalue()


def _array(values: Sequence[Any], kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_string(kind):  # names of broken files: lone surrogates
        values = [value if value is None else encodable(value) for value in values]
    elif pa.types.is_map(kind):
        values = [[(encodable(key), encodable(value)) for key, value in pairs.items()] for pairs in values]
    elif pa.types.is_list(kind) and pa.types.is_string(kind.value_type):
        values = [[encodable(text) for text in texts] for texts in values]
    elif pa.types.is_int64(kind):
        values = [value if value is None or -(2**63) <= value < 2**63 else None for value in values]
    return pa.array(values, type=kind)


def run_row(run: StoredRun) -> tuple[Any, ...]:
    return tuple(getattr(run, column.name) for column in RUNS_TABLE.columns)


@dataclass(frozen=True)
class Compaction:
    """A compaction. tables: {table: path}. replaces: names of those whose rows it contains. count: its runs. rows:
    {table: number}, {} in an index of an earlier trex.
    """

    name: str
    tables: dict[str, str]
    replaces: frozenset[str]
    count: int
    rows: Mapping[str, int] = field(default_factory=dict)

    @property
    def index_file(self) -> str:
        return f"{TABLES}/{COMPACTED}/{self.name}.json"

    @property
    def ids_file(self) -> str:
        return f"{TABLES}/{COMPACTED}/{self.name}.ids"


@dataclass(frozen=True)
class Snapshot:
    """What a store contained when it was looked at.

    loose: {run: its folder below a table's}, without runs that are compacted or removed. compactions: those that count;
    replaced: others, which a killed compaction left.
    """

    storage: Storage
    loose: dict[str, str]
    compactions: tuple[Compaction, ...]
    removed: frozenset[str]
    replaced: tuple[Compaction, ...] = ()
    ids_of: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def compacted(self) -> frozenset[str]:
        """Runs in compacted files, removed ones too."""
        return frozenset().union(*(self.ids(compaction) for compaction in self.compactions))

    def ids(self, compaction: Compaction) -> frozenset[str]:
        if compaction.name not in self.ids_of:
            self.ids_of[compaction.name] = _ids(self.storage, compaction)
        return self.ids_of[compaction.name]

    def __contains__(self, run_id: str) -> bool:
        return run_id in self.loose or (run_id in self.compacted and run_id not in self.removed)

    def hidden(self) -> list[frozenset[str]]:
        """Per compaction, the runs that don't count there: removed, or in an earlier one, too."""
        if len(self.compactions) < 2 and not self.removed:
            return [frozenset()] * len(self.compactions)
        seen: frozenset[str] = self.removed
        hidden = []
        for compaction in self.compactions:
            hidden.append(self.ids(compaction) & seen)
            seen |= self.ids(compaction)
        return hidden


def snapshot_of(
    storage: Storage,
    ids_of: dict[str, frozenset[str]] | None = None,
    compactions: Sequence[Compaction] | None = None,
) -> Snapshot:
    """Lists the store. ids_of: known runs of compactions. compactions: None for all in the store.

    Raises TrexError for an index of a compaction that can't be read.
    """
    listed = list(storage.below(f"{TABLES}/{RUNS_TABLE.name}"))  # first: what a compaction merges is listed in one
    if compactions is None:
        compactions, unread = compactions_in(storage)
        for path, reason in unread:
            raise TrexError(reason, "trex store fsck --repair", storage.address(path))
    replaced = frozenset().union(*(compaction.replaces for compaction in compactions))
    live = tuple(compaction for compaction in compactions if compaction.name not in replaced)
    dead = tuple(compaction for compaction in compactions if compaction.name in replaced)
    removed = frozenset(path.rpartition("/")[2] for path in storage.below(REMOVED))
    loose = {}
    start = f"{TABLES}/{RUNS_TABLE.name}/"
    for path in listed:
        part, _, name = path.removeprefix(start).rpartition("/")
        run_id = name.removesuffix(".parquet")
        if part.count("/") == 1 and ID.fullmatch(run_id) and run_id not in removed:
            loose[run_id] = part
    snapshot = Snapshot(storage, loose, live, removed, dead, {} if ids_of is None else ids_of)
    if loose and live:
        for run_id in [run_id for run_id in loose if run_id in snapshot.compacted]:
            del loose[run_id]
    return snapshot


def compactions_in(storage: Storage) -> tuple[list[Compaction], list[tuple[str, str]]]:
    """Every compaction by name, and (path, reason) of each index that can't be read."""
    compactions, unread = [], []
    for path in sorted(storage.below(f"{TABLES}/{COMPACTED}")):
        if path.endswith(".json"):
            try:
                compactions.append(_compaction(storage, path))
            except FileNotFoundError:  # replaced and removed meanwhile
                continue
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                unread.append((path, f"the index of a compaction can't be read: {error}"))
    return compactions, unread


def _compaction(storage: Storage, path: str) -> Compaction:
    document = parse_record(storage.read(path))
    tables = {table: str(document["tables"][table]) for table in ALL_TABLES if table in document["tables"]}
    if any("/" in name or "\\" in name for name in tables.values()):
        raise ValueError("a name leads elsewhere")
    paths = {table: f"{TABLES}/{table}/{COMPACTED}/{name}" for table, name in tables.items()}
    name = path.rpartition("/")[2].removesuffix(".json")
    rows = {str(table): int(count) for table, count in document.get("rows", {}).items()}
    return Compaction(name, paths, frozenset(map(str, document["replaces"])), int(document["runs"]), rows)


def _ids(storage: Storage, compaction: Compaction) -> frozenset[str]:
    try:
        return frozenset(storage.read(compaction.ids_file).decode("ascii").split())
    except (OSError, ValueError) as error:
        where = storage.address(compaction.ids_file)
        raise TrexError(
            f"the list of compacted runs can't be read: {error}", "trex store fsck --repair", where
        ) from error
