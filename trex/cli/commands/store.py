"""A store of runs: every run of every engine, answered by SQL.

A store is a folder that syncs (rsync, git-annex, S3): facts and files of each run, each file once and compressed, and
Parquet tables: runs, layers, tactics, samples, findings. Writers may work at the same time.

  add PATH…      engines as runs: folders, files, archives, fsspec addresses, user@host:folder (by ssh and tar)
  list           the newest runs; --model, --gpu and --label choose
  show RUN       facts and files of a run; RUN is its id or the beginning of it
  query SQL      one SELECT over the tables; without SQL, the tables and their columns
  rm RUN…        removes runs; their files stay until gc
  compact        one file per table, for stores of thousands of runs
  fsck           names damaged files; --repair makes rows again from the files of their runs
  gc             removes files that no run needs
  export FILE    runs as one archive, all or --run RUN…
  import SOURCE  runs of an archive, of another store, or of user@host:STORE

The store is --store, else TREX_STORE, else as trex.toml has it, else the folder trex-store. add creates it; an address
(s3://…) is read-only.

examples:
  trex store add out/ --label branch=main --commit abc123
  trex store add --recursive nightly/
  trex store list --model "resnet*"
  trex store query "SELECT tensorrt, min(gpu_compute_ms) FROM runs WHERE model = 'resnet18' GROUP BY ALL"
  trex store query "SELECT type, sum(time_ms) FROM layers GROUP BY type" -o types.csv
  trex store import jetson@10.0.0.7:trex-store
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.cli import console
from trex.cli.action_options import check_options
from trex.cli.command import DONE, FINDINGS, Command
from trex.cli.output import STDOUT, OutputOptions
from trex.cli.stores import STORE_HELP, open_store, store_path
from trex.core.errors import TrexError
from trex.core.options import amount, count, option
from trex.views.document import Document

if TYPE_CHECKING:
    from trex.store.run_store import RunStore

ADD, LIST, SHOW, QUERY, RM, COMPACT, FSCK, GC, EXPORT, IMPORT = ACTIONS = (
    "add", "list", "show", "query", "rm", "compact", "fsck", "gc", "export", "import",
)  # fmt: skip
_WORDS = {ADD: "PATH…", SHOW: "RUN", RM: "RUN…", EXPORT: "FILE", IMPORT: "SOURCE", QUERY: "SQL"}
_MANY = (ADD, RM)
_USED = {
    ADD: ("model", "label", "commit", "recursive", "scheduler", "jobs", "keep_binaries"),
    LIST: ("top", "model", "gpu", "label"),
    FSCK: ("repair", "quick"),
    GC: ("grace", "dry_run"),
    EXPORT: ("run",),
}
_READ = 1000
"""Rows of a query that a terminal shows at most."""
_ALL = 1 << 60


@dataclass(frozen=True, kw_only=True)
class StoreOptions(OutputOptions):
    action: str = option(help="what to do", choices=ACTIONS)
    arguments: tuple[str, ...] = option((), "as above", positional=True, many=True)
    store: str = option("", STORE_HELP, metavar="PATH")
    top: int = option(20, "how many runs to list", flags=("-n",), metavar="N", convert=count)
    model: str = option("", "list: models that fit this glob; add: the model's name", metavar="NAME")
    gpu: str = option("", "list: GPUs that fit this glob", metavar="GLOB")
    label: tuple[str, ...] = option((), "labels to add or to list", metavar="NAME=VALUE", many=True)
    commit: str = option("", "add: the commit of the model or code", metavar="HASH")
    recursive: bool = option(False, "add: every engine below the folders", flags=("-r",))
    scheduler: str = option("", "add: read on the workers of this Dask scheduler", metavar="ADDRESS")
    jobs: int = option(1, "add: processes that read at the same time", flags=("-j",), metavar="N", convert=count)
    keep_binaries: bool = option(False, "add: store serialized engines and ONNX models, too")
    run: tuple[str, ...] = option((), "export: only these runs", metavar="RUN", many=True)
    repair: bool = option(False, "fsck: move damaged files aside, make rows again")
    quick: bool = option(False, "fsck: do not read the runs' files")
    grace: float = option(
        24.0, "gc: keep what is younger than this, or a writer at work loses files", metavar="HOURS", convert=amount
    )
    dry_run: bool = option(False, "gc: only count")


def run(options: StoreOptions) -> Document | tuple[Document, int]:
    action, words = options.action, options.arguments
    check_options(options, "store", action, _USED.get(action, ()))
    takes = _WORDS.get(action, "")
    is_complete = bool(words) == bool(takes) or (action == QUERY and not words)
    if not is_complete or (len(words) > 1 and action not in _MANY):
        raise TrexError(f"trex store {action} takes {takes or 'nothing more'}", f"trex store {action} {takes}".strip())
    with console.patience(f"store {action}"):
        return _RUN[action](options)


def _opened(options: StoreOptions) -> RunStore:
    return open_store(options.store)


def _created(options: StoreOptions) -> RunStore:
    """The store, a new one where there is none. Raises TrexError, and makes none, if none of the paths is there."""
    paths = options.arguments
    if not any(":" in path or os.path.lexists(path) for path in paths) and not os.path.lexists(
        store_path(options.store)
    ):
        raise TrexError("no such file or folder", "check the path", paths[0])
    return open_store(options.store, create=True)


def _add(options: StoreOptions) -> tuple[Document, int]:
    from trex.store.adding import AddOptions, add_addresses
    from trex.store.listing import parsed_labels
    from trex.views.store import added_document

    store = _created(options)
    adding = AddOptions(
        labels=dict(parsed_labels(options.label)),
        model=options.model,
        commit=options.commit or None,
        keeps_binaries=options.keep_binaries,
        is_recursive=options.recursive,
    )
    if options.scheduler:
        from trex.sweep.adding import add_on_workers
        from trex.sweep.cluster import client_of

        with client_of(options.scheduler) as client:
            result = add_on_workers(client, store, options.arguments, adding)
    else:
        result = add_addresses(store, options.arguments, adding, options.jobs)
    return added_document(result, store.storage.where, options.is_for_reading), FINDINGS if result.failed else DONE


def _list(options: StoreOptions) -> Document:
    from trex.store.listing import RunFilter, list_runs, parsed_labels
    from trex.views.store import runs_document

    store = _opened(options)
    wanted = RunFilter(options.model, options.gpu, parsed_labels(options.label))
    top = min(options.top, _ALL) if options.is_for_reading else _ALL
    return runs_document(list_runs(store, wanted, top), store.storage.where, options.is_for_reading)


def _show(options: StoreOptions) -> Document:
    from trex.views.store import run_document

    store = _opened(options)
    return run_document(store.run(options.arguments[0]), store.storage.where)


def _query(options: StoreOptions) -> Document:
    from trex.store.without_rows import runs_without_rows
    from trex.views.store import query_document, tables_document

    if not options.arguments:
        return tables_document()
    limit = min(_READ, options.limit if options.limit >= 0 else _READ) if options.is_for_reading else None
    store = _opened(options)
    columns, rows = store.queries.names_and_rows(options.arguments[0], most=None if limit is None else limit + 1)
    return query_document(columns, rows, limit, runs_without_rows(store))


def _rm(options: StoreOptions) -> Document:
    """Every run is looked up before the first is removed."""
    from trex.views.store import removed_document

    store = _opened(options)
    ids = [store.run(text).id for text in options.arguments]
    return removed_document([store.remove(run_id) for run_id in dict.fromkeys(ids)], store.storage.where)


def _compact(options: StoreOptions) -> Document:
    from trex.store.compaction import compact
    from trex.views.store import compacted_document

    store = _opened(options)
    return compacted_document(compact(store), store.storage.where)


def _fsck(options: StoreOptions) -> tuple[Document, int]:
    from trex.store.check import check_store, repair_store
    from trex.views.store import check_document

    store = _opened(options)
    check = (repair_store if options.repair else check_store)(store, options.quick)
    document = check_document(check, store.storage.where, options.repair)
    return document, FINDINGS if check.problems else DONE


def _gc(options: StoreOptions) -> Document:
    from trex.store.garbage import collect_garbage
    from trex.views.store import garbage_document

    store = _opened(options)
    result = collect_garbage(store, options.grace * 3600.0, options.dry_run)
    return garbage_document(result, store.storage.where, options.dry_run)


def _export(options: StoreOptions) -> Document:
    from trex.cli.inputs_kept import refuse_store
    from trex.store.transfer import export_runs
    from trex.views.store import exported_document

    path = options.arguments[0]
    if path == STDOUT:
        raise TrexError("an archive of runs is a file", "trex store export FILE.tar")
    refuse_store(path)
    return exported_document(export_runs(_opened(options), path, options.run), path)


def _import(options: StoreOptions) -> tuple[Document, int]:
    from trex.store.transfer import import_runs
    from trex.views.store import imported_document

    store = _created(options)
    result = import_runs(store, options.arguments[0])
    return imported_document(result, store.storage.where), FINDINGS if result.failed else DONE


_RUN: dict[str, Callable[[StoreOptions], Document | tuple[Document, int]]] = {
    ADD: _add,
    LIST: _list,
    SHOW: _show,
    QUERY: _query,
    RM: _rm,
    COMPACT: _compact,
    FSCK: _fsck,
    GC: _gc,
    EXPORT: _export,
    IMPORT: _import,
}

COMMAND = Command(StoreOptions, run, exit_codes="0 done · 1 damage found, or folders failed · 2 usage or input error")
