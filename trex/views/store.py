"""Run stores → Documents: lists of runs, one run, results of queries, what was added and what is damaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.printable import shell_word
from trex.store.columns import RUNS, TABLES
from trex.store.contradicted_labels import FACTS, label_notes
from trex.store.layout import DAMAGED
from trex.store.listing import COLUMNS, RunListing
from trex.store.run import MEASURED, StoredRun
from trex.views.document import Document, Fact, Section, TableBlock, Text, section
from trex.views.table import Table, TableColumn, byte_size, milliseconds

if TYPE_CHECKING:
    from trex.store.adding import AddedRuns
    from trex.store.check import StoreCheck
    from trex.store.compaction import CompactionResult
    from trex.store.garbage import GarbageResult
    from trex.store.transfer import ImportResult

COMMAND = "store"
_ID_DIGITS = 8
_SHOWN_ROWS = 100
_KINDS = {"DOUBLE": "number", "FLOAT": "number"}


_LIST_COLUMNS = (
    TableColumn("run", meaning="the beginning of its id", identifier="id"),
    TableColumn("model", "name", readable=14, identifier="model"),
    TableColumn("GPU", "name", readable=12, if_known=True, identifier="gpu"),
    TableColumn("TensorRT", if_known=True, identifier="tensorrt"),
    TableColumn("made", meaning="when it was run, in UTC", identifier="made_at"),
    TableColumn(
        "times", if_known=True, meaning="not measured: predicted, simulated, synthetic", identifier="provenance"
    ),
    TableColumn("compute", "ms", "ms", if_known=True, meaning="median GPU compute", identifier="gpu_compute_ms"),
    TableColumn("latency", "ms", "ms", if_known=True, meaning="median latency", identifier="latency_ms"),
    TableColumn("layers", "ms", "ms", if_known=True, meaning="sum of the layer times", identifier="layer_sum_ms"),
    TableColumn("findings", "count", if_known=True, identifier="findings"),
    TableColumn("problems", "count", if_known=True, meaning="of the files", identifier="problems"),
    TableColumn("likely savings", "ms", "ms", if_known=True, identifier="likely_savings_ms"),
    TableColumn("commit", "name", if_known=True, identifier="commit"),
    TableColumn("labels", "name", if_known=True, identifier="labels"),
)
_PEOPLE = ("id", "model", "gpu", "tensorrt", "made_at", "provenance", "gpu_compute_ms", "findings", "problems")


def runs_document(listing: RunListing, where: str, is_for_reading: bool = False) -> Document:
    """where: the store. is_for_reading: only the columns and the digits that fit a terminal."""
    times = ""
    if listing.first is not None and listing.last is not None:
        first, last = f"{listing.first:%Y-%m-%d}", f"{listing.last:%Y-%m-%d}"
        times = f", {first}" if first == last else f", {first} to {last}"
    statement = "No runs. Add some: trex store add FOLDER"
    if listing.total:
        what = f"{counted(listing.models, 'model')} on {counted(listing.gpus, 'GPU')}"
        statement = f"{counted(listing.total, 'run')} of {what}{times}."
    rows = tuple(_list_row(row, is_for_reading) for row in listing.rows)
    table = Table("", _LIST_COLUMNS, rows, "runs", left_out=listing.total - len(rows), more="trex store list -n N")
    if is_for_reading:
        names = [column.identifier for column in _LIST_COLUMNS]
        has_compute = any(row[names.index("gpu_compute_ms")] is not None for row in rows)
        shown = [name for name in _PEOPLE if name != "gpu_compute_ms" or has_compute]
        shown += [] if has_compute else ["layer_sum_ms"]
        table = table.with_columns([names.index(name) for name in names if name in shown])
    data = {"total": listing.total, "models": listing.models, "gpus": listing.gpus}
    block = table if is_for_reading else TableBlock("runs", "", lambda: table, "runs", is_main=True)
    own = section(name="runs", statements=(statement,), blocks=(block,) if rows else (), data=data)
    return Document(COMMAND, f"Runs in {where}", sections=(own,), notes=listing.notes)


def _list_row(row: tuple[Any, ...], is_for_reading: bool) -> tuple[Any, ...]:
    values = dict(zip(COLUMNS, map(plain_value, row), strict=True))
    values["labels"] = values["labels"] or None
    values["problems"] = values["problems"] or None
    if is_for_reading:
        values["id"] = values["id"][:_ID_DIGITS]
        values["made_at"] = None if values["made_at"] is None else values["made_at"][:10]
        values["gpu"] = None if values["gpu"] is None else _short_gpu(values["gpu"])
        values["provenance"] = None if values["provenance"] == "measured" else values["provenance"]
    return tuple(values[column.identifier] for column in _LIST_COLUMNS)


def run_document(run: StoredRun, where: str) -> Document:
    """All facts of one run and its files."""
    facts = [
        Fact(column.name, _fact_text(value, column.unit), value, column.name)
        for column in RUNS.columns
        if (value := plain_value(getattr(run, column.name))) not in (None, {})
    ]
    rows = tuple(
        (item.name, item.size_bytes, "kept" if item.is_kept else "only its hash", item.sha256) for item in run.artifacts
    )
    columns = (
        TableColumn("file", "name"),
        TableColumn("size", "bytes", identifier="size_bytes"),
        TableColumn("content"),
        TableColumn("SHA-256", "name", identifier="sha256"),
    )
    own = section(
        name="run", statements=(_run_sentence(run),), facts=facts, tables=(Table("Files", columns, rows, "files"),)
    )
    return Document(COMMAND, f"{run.name}   {run.id}", sections=(own,), folder=where)


def _run_sentence(run: StoredRun) -> str:
    what = {"measured": "", None: "not measured"}.get(run.provenance, f"{run.provenance}, not measured")
    parts = [part for part in (run.gpu, run.tensorrt and f"TensorRT {run.tensorrt}", run.backend, what) if part]
    if run.gpu_compute_ms is not None:
        parts.append(f"GPU compute {milliseconds(run.gpu_compute_ms)} ms")
    elif run.layer_sum_ms is not None:
        parts.append(f"layer times add up to {milliseconds(run.layer_sum_ms)} ms")
    return f"{', '.join(parts)}." if parts else "No facts beyond its files."


def _fact_text(value: Any, unit: str) -> str:
    if unit == "bytes":
        return byte_size(value)
    if isinstance(value, dict):
        return ", ".join(f"{name}={text}" for name, text in value.items())
    number = f"{value:.6g}" if isinstance(value, float) else str(value)
    return f"{number} {unit}" if unit else number


def query_document(
    columns: Sequence[tuple[str, str]], rows: Sequence[tuple[Any, ...]], limit: int | None, notes: tuple[Note, ...] = ()
) -> Document:
    """The result of a query. columns: (name, type). limit: rows to show, None for all."""
    names: dict[str, None] = {}
    table_columns = []
    for name, kind in columns:
        unique, number = name, 1
        while unique in names:
            number += 1
            unique = f"{name}_{number}"
        names[unique] = None
        table_columns.append(
            TableColumn(unique, _KINDS.get(kind, "number" if "INT" in kind else "text"), identifier=unique)
        )
    plain_rows = tuple(tuple(map(plain_value, row)) for row in rows)
    shown = plain_rows if limit is None else plain_rows[:limit]
    table = Table("", tuple(table_columns), shown, "rows")
    block = TableBlock("rows", "", lambda: table, "rows", is_main=True)
    title = counted(len(shown), "row") + (" and more: -o FILE writes all" if len(shown) < len(rows) else "")
    return Document(COMMAND, title, sections=(Section("query", "", (block,)),), notes=notes)


def plain_value(value: Any) -> Any:
    """A value of DuckDB as JSON has it: times as ISO 8601 in UTC."""
    if isinstance(value, datetime):
        in_utc = value.astimezone(timezone.utc).replace(tzinfo=None) if value.tzinfo else value
        return in_utc.isoformat(timespec="milliseconds") + "Z"
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return {str(name): plain_value(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(part) for part in value]
    if isinstance(value, bytes):
        return value.hex()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def compare_command(base: str, new: str, store: str) -> str:
    """Of two runs by their ids. store: where they are, unless in the usual one."""
    return f"{f'TREX_STORE={shell_word(store)} ' if store else ''}trex compare store:{base} store:{new}"


def added_document(result: AddedRuns, where: str, is_for_reading: bool = False) -> Document:
    """What ``trex store add`` did; folders that could not be read are listed with their errors.

    is_for_reading: only the first of many runs.
    """
    parts = [f"{counted(len(result.added), 'run')} added"]
    if result.known:
        parts.append(f"{len(result.known):,} known already")
    if result.failed:
        parts.append(f"{len(result.failed):,} failed")
    columns = (
        TableColumn("run", identifier="id"),
        TableColumn("engine", "name", readable=24, identifier="name"),
        TableColumn("", if_known=True, identifier="state"),
        TableColumn("times", if_known=True, meaning="where they are not measured", identifier="provenance"),
        TableColumn("compute", "ms", "ms", if_known=True, identifier="gpu_compute_ms"),
        TableColumn("layers", "ms", "ms", if_known=True, meaning="sum of layer times", identifier="layer_sum_ms"),
        TableColumn("findings", "count", if_known=True, identifier="findings"),
        TableColumn("problems", "count", if_known=True, meaning="of the files", identifier="problems"),
    )
    rows = [
        (
            run.id,
            run.name,
            state,
            None if run.provenance == MEASURED else run.provenance,
            run.gpu_compute_ms,
            run.layer_sum_ms,
            run.findings,
            run.problems or None,
        )
        for runs, state in ((result.added, "new" if result.known else None), (result.known, "known"))
        for run in runs
    ]
    table = Table("", columns, tuple(rows), "runs", more="trex store list")
    table = table.first(_SHOWN_ROWS) if is_for_reading else table
    failures = Table(
        "Failed",
        (
            TableColumn("folder", "name", readable=24),
            TableColumn("error", readable=30),
            TableColumn("try", if_known=True),
        ),
        tuple((item.address, item.message, item.hint or None) for item in result.failed),
        "failed",
    )
    data = {"added": len(result.added), "known": len(result.known), "failed": len(result.failed)}
    tables = [item for item in (failures, table) if item.rows]
    own = section(name="added", tables=tables, data=data)
    added = [{name: getattr(run, name) for name in (*FACTS, "model")} for run in (*result.added, *result.known)]
    notes = tuple(label_notes(added, ("model",)))
    return Document(COMMAND, f"{', '.join(parts)}: {where}", sections=(own,), notes=notes)


def removed_document(runs: Sequence[StoredRun], where: str) -> Document:
    columns = (TableColumn("run", identifier="id"), TableColumn("engine", "name", identifier="name"))
    table = Table("", columns, tuple((run.id, run.name) for run in runs), "runs")
    hint = Text(("Files that no other run needs stay until: trex store gc",), "hint")
    own = Section("removed", "", (table, hint))
    return Document(COMMAND, f"{counted(len(runs), 'run')} removed from {where}", sections=(own,))


def compacted_document(result: CompactionResult, where: str) -> Document:
    words = (
        f"{counted(result.runs, 'run')} in one file per table, {counted(result.files, 'small file')} merged"
        if result.runs
        else "Nothing to compact"
    )
    data = {"runs": result.runs, "files": result.files}
    return Document(COMMAND, f"{words}: {where}", sections=(Section("compacted", data=data),))


def check_document(check: StoreCheck, where: str, is_repair: bool) -> Document:
    """Damaged files, each with what can be done."""
    columns = (
        TableColumn("file", "name", readable=30, identifier="path"),
        TableColumn("problem", readable=24, identifier="message"),
        TableColumn("run", if_known=True),
        TableColumn("repair", if_known=True, meaning="what trex store fsck --repair does"),
    )
    rows = tuple((item.path, item.message, item.run or None, item.repair or None) for item in check.problems)
    sentences = []
    if check.repaired:
        sentences.append(f"The rows of {counted(len(check.repaired), 'run')} were made again from their files.")
    if check.removed:
        sentences.append(f"Interrupted removals were completed: {', '.join(check.removed)}.")
    if is_repair:
        sentences.append(f"Damaged files, if any, are in {where}/{DAMAGED}.")
    hints = []
    if check.problems and not is_repair:
        hints.append("trex store fsck --repair moves damaged files aside and makes rows again")
    if any(item.path.startswith("artifacts/") for item in check.problems):
        hints.append("Files that are missing or damaged come back when their folder is added again.")
    count = counted(len(check.problems), "problem") if check.problems else "no problems"
    own = section(
        name="check",
        statements=sentences,
        tables=(Table("", columns, rows, "problems"),) if rows else (),
        blocks=(Text(tuple(hints), "hint"),) if hints else (),
        data={"runs": check.runs, "repaired": list(check.repaired), "removed": list(check.removed)},
    )
    return Document(COMMAND, f"{counted(check.runs, 'run')}, {count}: {where}", sections=(own,))


def garbage_document(result: GarbageResult, where: str, is_dry_run: bool) -> Document:
    verb = "would be removed" if is_dry_run else "removed"
    words = f"{counted(result.files, 'file')} {verb} ({byte_size(result.size_bytes)})"
    if result.kept:
        words += f", {result.kept:,} too young"
    data = {"files": result.files, "size_bytes": result.size_bytes, "kept": result.kept}
    return Document(COMMAND, f"{words}: {where}", sections=(Section("garbage", data=data),))


def imported_document(result: ImportResult, where: str) -> Document:
    parts = [f"{counted(len(result.added), 'run')} imported"]
    parts += [f"{len(result.known):,} known already"] if result.known else []
    parts += [f"{len(result.failed):,} failed"] if result.failed else []
    table = Table("Failed", (TableColumn("run"), TableColumn("error", readable=30)), result.failed, "failed")
    data = {"added": list(result.added), "known": list(result.known)}
    own = section(name="imported", tables=(table,) if result.failed else (), data=data)
    return Document(COMMAND, f"{', '.join(parts)}: {where}", sections=(own,))


def exported_document(count: int, path: str) -> Document:
    sections = (Section("exported", data={"runs": count, "file": path}),)
    return Document(COMMAND, f"{counted(count, 'run')} exported: {path}", sections=sections)


def tables_document() -> Document:
    """The tables and their columns."""
    columns = (TableColumn("column"), TableColumn("type"), TableColumn("unit", if_known=True), TableColumn("meaning"))
    tables = [
        Table(f"{table.name}: {table.meaning}", columns, rows, table.name)
        for table in TABLES.values()
        if (rows := tuple((item.name, item.type, item.unit or None, item.meaning) for item in table.columns))
    ]
    return Document(COMMAND, "Tables of a run store", sections=(section(name="tables", tables=tables),))


def _short_gpu(name: str) -> str:
    """``NVIDIA GeForce RTX 3060 Laptop GPU`` → ``RTX 3060 Laptop``."""
    return name.removeprefix("NVIDIA ").removeprefix("GeForce ").removesuffix(" GPU")
