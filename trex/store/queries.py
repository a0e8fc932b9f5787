"""SQL over the tables of a store: DuckDB, read-only, without access to other files, the network or extensions."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError, missing_extra
from trex.core.printable import encodable
from trex.store.columns import RUNS, StoreTable
from trex.store.columns import TABLES as ALL_TABLES
from trex.store.layout import TABLES, table_file
from trex.store.storage import LocalStorage, Storage
from trex.store.table_files import Snapshot

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

_TRIES = 4
MEMORY = "4GB"
"""Of what a query computes; without it, DuckDB takes four fifths of the machine's."""
MOST_CELLS = 10_000_000
"""Of a result that becomes Python objects."""
_CHUNK = 50_000
_INTERRUPT_S = 0.05
_NOWHERE = "''"
_PATTERN = re.compile(r"[*?\[]")


class StoreQueries:
    """One connection to the tables of one snapshot, made when it is first needed.

    look: lists the store again, for files that a compaction removed in the meantime.
    """

    def __init__(self, look: Callable[[], Snapshot]) -> None:
        self._look = look
        self.snapshot = look()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._views: set[str] = set()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The result of one SELECT; parameters for its ``?``."""
        return self.names_and_rows(sql, parameters)[1]

    def names_and_rows(
        self, sql: str, parameters: Sequence[Any] = (), most: int | None = None
    ) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
        """((name, type) of each column, rows). most: the number of rows to read, None for all.

        Raises TrexError for more than MOST_CELLS values.
        """

        def answer(cursor: duckdb.DuckDBPyConnection, statement: Any) -> Any:
            cursor.execute(statement, list(parameters))
            described = [(item[0], str(item[1])) for item in cursor.description or ()]
            return described, cursor.fetchmany(most) if most is not None else _all_rows(cursor, len(described))

        names, rows = self._answer(sql, answer)
        return names, rows

    def frame(self, sql: str, parameters: Sequence[Any] = ()) -> pd.DataFrame:
        """The result as a DataFrame: unknown numbers are NaN, maps dictionaries."""

        def answer(cursor: duckdb.DuckDBPyConnection, statement: Any) -> Any:
            # the table, not a DataFrame: DuckDB makes the objects of maps one by one, four times as slowly
            return cursor.sql(statement, params=list(parameters)).to_arrow_table()

        table = self._answer(sql, answer)
        try:
            result: pd.DataFrame = table.to_pandas(maps_as_pydicts="lossy")
        except (OverflowError, ValueError, TypeError, NotImplementedError) as error:  # years, maps and unions
            raise _not_shown(error) from error
        return result

    def _answer(self, sql: str, answer: Callable[[duckdb.DuckDBPyConnection, Any], Any]) -> Any:
        """answer: of a cursor and the statement. Another try for files that a compaction has removed."""
        duckdb = _duckdb()
        for _ in range(_TRIES):
            try:
                return _interruptible(self._connected(sql).cursor(), _select(sql), answer)
            except duckdb.IOException as error:
                before, self.snapshot = self.snapshot, self._look()
                self._connection = None
                if (before.loose, before.compactions) == (self.snapshot.loose, self.snapshot.compactions):
                    raise self._error(error) from error
            except duckdb.Error as error:
                raise self._error(error) from error
            except (OverflowError, ValueError) as error:
                raise _not_shown(error) from error
        raise TrexError("the store is being compacted again and again", "try again", self.snapshot.storage.where)

    def _connected(self, sql: str) -> duckdb.DuckDBPyConnection:
        """A connection with views of the tables that the text mentions: each view opens all files of its table."""
        if self._connection is None:
            self._connection, self._views = connected(self.snapshot), set()
        for name in ALL_TABLES.keys() - self._views:
            if re.search(rf"\b{name}\b", sql, re.IGNORECASE):
                add_view(self._connection, self.snapshot, name)
                self._views.add(name)
        return self._connection

    def _error(self, error: Exception) -> TrexError:
        text = str(error).partition("\n\n")[0]
        if isinstance(error, _duckdb().OutOfMemoryException):
            return TrexError(f"the query takes more than {MEMORY} of memory", "select fewer rows or columns")
        if ".parquet" in text:
            return TrexError(f"a table can't be read: {text}", "trex store fsck --repair", self.snapshot.storage.where)
        hint = f'tables: {", ".join(ALL_TABLES)}; columns: trex store query "DESCRIBE runs"'
        return TrexError(f"the query failed: {text}", hint)


def _not_shown(error: Exception) -> TrexError:
    return TrexError(f"a value of the result can't be shown: {error}", "CAST it to VARCHAR")


def _interruptible(
    cursor: duckdb.DuckDBPyConnection, statement: Any, answer: Callable[[duckdb.DuckDBPyConnection, Any], Any]
) -> Any:
    """The answer. DuckDB does not look at signals: the main thread waits for another one, and ends its query."""
    if threading.current_thread() is not threading.main_thread():
        return answer(cursor, statement)
    with ThreadPoolExecutor(1, "query") as pool:
        future = pool.submit(answer, cursor, statement)
        try:
            return future.result()
        except KeyboardInterrupt:
            while not future.done():  # one that has not begun yet is not interrupted
                cursor.interrupt()
                wait((future,), _INTERRUPT_S)
            raise


def connected(snapshot: Snapshot, working_folder: Path | None = None) -> duckdb.DuckDBPyConnection:
    """A connection that reads no files but tables, and loads nothing.

    working_folder: for our own statements, which write files, and for what does not fit into memory.
    """
    storage = snapshot.storage
    folder = storage.address(TABLES) if isinstance(storage, LocalStorage) else storage.fetched_folder
    if encodable(folder) != folder:
        raise TrexError("DuckDB can't query a store whose path is not UTF-8", "rename the folder", storage.where)
    connection: duckdb.DuckDBPyConnection = _duckdb().connect(":memory:")
    for number, ids in enumerate(snapshot.hidden()):
        if ids:
            connection.execute(f"CREATE TABLE _hidden_{number} AS SELECT unnest(?::VARCHAR[]) AS id", [sorted(ids)])
    settings = [
        f"temp_directory = {_NOWHERE if working_folder is None else quoted_path(working_folder)}",
        "parquet_metadata_cache = true",
        "python_enable_replacements = false",
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
    ]
    if working_folder is None:
        settings += [
            f"memory_limit = '{MEMORY}'",
            f"allowed_directories = [{quoted_path(folder, '/')}, {quoted_path(_literal(folder), '/')}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ]
    for setting in settings:
        connection.execute(f"SET {setting}")
    return connection


def _all_rows(cursor: duckdb.DuckDBPyConnection, columns: int) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    while chunk := cursor.fetchmany(_CHUNK):
        rows += chunk
        if len(rows) * columns > MOST_CELLS:
            raise TrexError(f"the query has more than {MOST_CELLS:,} values", "add LIMIT, or select fewer columns")
    return rows


def add_view(connection: duckdb.DuckDBPyConnection, snapshot: Snapshot, table: str) -> None:
    """The rows of files of single runs are read once for the table ``runs``, the smallest, which most queries need."""
    loose = _read_loose(snapshot, table)
    if loose and table == RUNS.name:
        connection.execute(f"CREATE TABLE _loose AS {ALL_TABLES[table].empty_sql} UNION ALL BY NAME {loose}")
        loose = "SELECT * FROM _loose"
    connection.execute(f'CREATE VIEW "{table}" AS {_source(snapshot, ALL_TABLES[table], loose)}')


def _read_loose(snapshot: Snapshot, table: str) -> str:
    if not snapshot.loose:
        return ""
    parts = sorted(snapshot.loose.items())
    return _read(snapshot.storage, [table_file(table, part, run_id) for run_id, part in parts])


def _source(snapshot: Snapshot, table: StoreTable, loose: str) -> str:
    """A query of all rows that count; columns that older files lack are null, those of newer ones left out."""
    parts = [table.empty_sql]
    for number, (compaction, ids) in enumerate(zip(snapshot.compactions, snapshot.hidden(), strict=True)):
        if table.name in compaction.tables:
            where = f" WHERE id NOT IN (SELECT id FROM _hidden_{number})" if ids else ""
            parts.append(_read(snapshot.storage, [compaction.tables[table.name]]) + where)
    if loose:
        parts.append(loose)
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    return f"SELECT {columns} FROM ({' UNION ALL BY NAME '.join(parts)})"


def _select(sql: str) -> Any:
    """The only statement of a text. Raises TrexError unless it is a SELECT, which writes nothing."""
    duckdb = _duckdb()
    if encodable(sql) != sql:
        raise TrexError("the query is not UTF-8", "write it in UTF-8")
    statements = duckdb.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise TrexError("a store answers one SELECT, nothing else", 'trex store query "SELECT * FROM runs"')
    return statements[0]


def _read(storage: Storage, paths: list[str]) -> str:
    listed = ", ".join(quoted_path(_literal(path)) for path in storage.local(paths))
    return f"SELECT * FROM read_parquet([{listed}], union_by_name = true, hive_partitioning = false)"


def _literal(path: str) -> str:
    """DuckDB takes a path for a pattern of several files' names."""
    return _PATTERN.sub(r"[\g<0>]", path)


def quoted_path(path: str | Path, ending: str = "") -> str:
    """As a text of SQL; absolute, since DuckDB takes a folder named ``~`` for the user's."""
    return "'" + f"{Path(path).absolute()}{ending}".replace("'", "''") + "'"


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise missing_extra("duckdb", "store", "reading a run store") from error
    return duckdb
