"""SQL over the tables of a store: DuckDB, read-only, without access to other files, the network or extensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError, missing_extra
from trex.store.columns import TABLES as ALL_TABLES
from trex.store.columns import StoreTable
from trex.store.layout import TABLES, table_file
from trex.store.storage import Folder, Remote
from trex.store.table_files import Snapshot

if TYPE_CHECKING:
    import duckdb
    import pandas as pd


class Queries:
    """One connection to the tables of one snapshot; tables get their views when a query first mentions them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._connection: duckdb.DuckDBPyConnection | None = None

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The result of one SELECT; parameters for its ``?``."""
        duckdb = _duckdb()
        try:
            return self._run(sql, parameters).fetchall()
        except duckdb.Error as error:
            raise self._error(error) from error

    def names_and_rows(self, sql: str, parameters: Sequence[Any] = ()) -> tuple[list[str], list[str], list[Any]]:
        """(names of the columns, their types, rows)."""
        duckdb = _duckdb()
        try:
            cursor = self._run(sql, parameters)
            described = cursor.description or []
            return [item[0] for item in described], [str(item[1]) for item in described], cursor.fetchall()
        except duckdb.Error as error:
            raise self._error(error) from error

    def frame(self, sql: str, parameters: Sequence[Any] = ()) -> pd.DataFrame:
        duckdb = _duckdb()
        try:
            result: pd.DataFrame = self._run(sql, parameters).df()
            return result
        except duckdb.Error as error:
            raise self._error(error) from error

    def _run(self, sql: str, parameters: Sequence[Any]) -> duckdb.DuckDBPyConnection:
        duckdb = _duckdb()
        connection = self._connected()
        statements = duckdb.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise TrexError("a store answers one SELECT, nothing else", 'trex store query "SELECT * FROM runs"')
        return connection.execute(statements[0], list(parameters))

    def _connected(self) -> duckdb.DuckDBPyConnection:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> duckdb.DuckDBPyConnection:
        connection: duckdb.DuckDBPyConnection = _duckdb().connect(":memory:")
        storage = self.snapshot.storage
        folder = storage.address(TABLES) if isinstance(storage, Folder) else storage.fetched_folder
        for number, ids in enumerate(self.snapshot.hidden()):
            if ids:
                connection.execute(f"CREATE TABLE _hidden_{number} AS SELECT unnest(?::VARCHAR[]) AS id", [sorted(ids)])
        connection.execute(f"SET allowed_directories = [{_quoted(folder.rstrip('/') + '/')}]")
        for setting in (
            "temp_directory = ''",
            "python_enable_replacements = false",
            "autoinstall_known_extensions = false",
            "autoload_known_extensions = false",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            connection.execute(f"SET {setting}")
        for table in ALL_TABLES.values():
            connection.execute(f'CREATE VIEW "{table.name}" AS {self._source(table)}')
        return connection

    def _source(self, table: StoreTable) -> str:
        """A query of all rows that count; columns that older files lack are null, those of newer ones left out."""
        snapshot = self.snapshot
        parts = [table.empty_sql]
        for number, (generation, ids) in enumerate(zip(snapshot.generations, snapshot.hidden(), strict=True)):
            if table.name in generation.tables:
                where = f" WHERE id NOT IN (SELECT id FROM _hidden_{number})" if ids else ""
                parts.append(_read(snapshot.storage, [generation.tables[table.name]]) + where)
        if snapshot.loose:
            loose = [table_file(table.name, part, run_id) for run_id, part in sorted(snapshot.loose.items())]
            parts.append(_read(snapshot.storage, loose))
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        return f"SELECT {columns} FROM ({' UNION ALL BY NAME '.join(parts)})"

    def _error(self, error: Exception) -> TrexError:
        text = str(error).partition("\n\n")[0]
        if ".parquet" in text:
            return TrexError(f"a table can't be read: {text}", "trex store fsck --repair", self.snapshot.storage.where)
        hint = f'tables: {", ".join(ALL_TABLES)}; columns: trex store query "DESCRIBE runs"'
        return TrexError(f"the query failed: {text}", hint)


def _read(storage: Folder | Remote, paths: list[str]) -> str:
    listed = ", ".join(map(_quoted, storage.local(paths)))
    return f"SELECT * FROM read_parquet([{listed}], union_by_name = true, hive_partitioning = false)"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise missing_extra("duckdb", "store", "reading a run store") from error
    return duckdb
