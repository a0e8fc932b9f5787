"""Build and measure many engines: models × batch × precision × options × GPU, with the results in a run store.

The file of a sweep lists axes; every combination is a job. What the store has is not run again, so an interrupted
sweep goes on when it runs again, and a larger one runs only what is new. Jobs run on Dask workers: on this machine one
per GPU, or --workers N for backends without a GPU; or those of --scheduler ADDRESS (SSH, Slurm, Kubernetes:
docs/sweeps.md). Each job is a child process, `trex process`; its log is in STORE/sweeps/NAME/logs.

  trex sweep FILE.toml          run it (or: run FILE.toml)
  trex sweep --model M …        the same with options
  trex sweep report NAME        what came out: the best configuration, Pareto front, which option mattered
  trex sweep compare NAME --by AXIS   runs that differ in one axis: what changed, and why; on the same workers
  trex sweep gate NAME          what it has at --commit against what it had at --base, or at the latest other commit

A job that fails is in STORE/failures with its reason; after --quarantine failures it is left out until --again.

examples:
  trex sweep nightly.toml --dry-run
  trex sweep nightly.toml
  trex sweep --model example:resnet18 --batch 1 8 --backend simulated --gpu A100 T4 --store runs
  trex sweep nightly.toml --scheduler tcp://head:8786
  trex sweep report nightly --where "p99_ms <= 5 and device_memory_bytes <= 2e9"
  trex sweep compare nightly --by tensorrt --base 10.4
  trex sweep report nightly --column accuracy.csv -o nightly.html
"""

from __future__ import annotations

import dataclasses
import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.cli.action_options import check_options
from trex.cli.command import DONE, FINDINGS, USAGE_ERROR, Command
from trex.cli.output import OutputOptions
from trex.cli.stores import store_path
from trex.core.errors import TrexError
from trex.core.options import count, option, option_fields
from trex.core.scratch_folder import scratch_folder
from trex.sweep.spec import AXES, RTX, SIMULATED, SweepSpec
from trex.views.document import Document

if TYPE_CHECKING:
    from trex.sweep.job import Job
    from trex.sweep.progress import SweepProgress

RUN, REPORT, COMPARE, GATE = ACTIONS = ("run", "report", "compare", "gate")
_SHOWN_PAIRS = 20
_OF_REPORT, _OF_COMPARE, _OF_GATE = ("where", "best_by", "column", "lower"), ("by", "base"), ("base", "fail_on")
_USED = {
    REPORT: {"commit", *_OF_REPORT},
    COMPARE: {"scheduler", "workers", *_OF_COMPARE},
    GATE: {"commit", *_OF_GATE},
}
"""Options by action; the jobs have all but those of the others."""


def _axis(name: str) -> Any:
    return option((), AXES[name], many=True, metavar=name.upper(), group="axes")


def duration(text: str) -> str:
    """A time such as 90 s, 30 min or 2 h."""
    from trex.sweep.spec_toml import time_limit

    return str(time_limit(text)) if text else ""


@dataclass(frozen=True, kw_only=True)
class SweepOptions(OutputOptions):
    action: str = option(help="what to do", choices=ACTIONS)
    spec: str = option("", "the sweep, a TOML file; report: or its name", positional=True, metavar="FILE")
    dry_run: bool = option(False, "list the jobs, what the store has of them, and the estimated time", flags=("-n",))
    store: str = option("", "folder of the run store (default: the file's, else as of trex store)", metavar="FOLDER")
    scheduler: str = option("", "run on the workers of this Dask scheduler", metavar="ADDRESS")
    workers: int = option(0, "local workers without a GPU (default: one per CPU core)", convert=count, metavar="N")
    again: bool = option(False, "also run jobs in quarantine")
    commit: str = option("", "commit to store with the runs; report, gate: of the runs", metavar="REV")
    name: str = option("", "name of the sweep (default: the file's)", metavar="NAME")
    repetitions: int = option(0, "run every job N times", convert=count, metavar="N")
    time_limit: str = option("", "stop a job after this time: 90s, 30min, 2h", convert=duration, metavar="TIME")
    retries: int = option(-1, "repeat a failed job at once, at most N times", metavar="N", convert=count)
    quarantine: int = option(-1, "leave a job out after N failures; 0: never", metavar="N", convert=count)
    by: str = option("", "compare: axis, or fact such as tensorrt and commit", metavar="AXIS", group="report and gate")
    base: str = option(
        "", "gate: commit of the runs to compare with; compare: value of AXIS", metavar="REV", group="report and gate"
    )
    fail_on: tuple[str, ...] = option(
        (), "gate: METRIC>+N%, as for trex compare", metavar="CONDITION", many=True, group="report and gate"
    )
    where: str = option(
        "", 'report: a constraint, such as "p99_ms <= 5"', metavar="EXPRESSION", group="report and gate"
    )
    best_by: str = option(
        "", "report: the column to optimize (default: items_per_s)", metavar="COLUMN", group="report and gate"
    )
    column: str = option("", "report: CSV of more columns, such as accuracy", metavar="FILE", group="report and gate")
    lower: tuple[str, ...] = option(
        (),
        "report: columns of the CSV that are better when lower",
        metavar="COLUMN",
        many=True,
        group="report and gate",
    )
    model: tuple[str, ...] = _axis("model")
    batch: tuple[str, ...] = _axis("batch")
    shapes: tuple[str, ...] = _axis("shapes")
    precision: tuple[str, ...] = _axis("precision")
    options: tuple[str, ...] = _axis("options")
    backend: tuple[str, ...] = _axis("backend")
    gpu: tuple[str, ...] = _axis("gpu")
    tensorrt: tuple[str, ...] = _axis("tensorrt")


def spelled(arguments: list[str]) -> list[str]:
    """``trex sweep FILE`` → ``trex sweep run FILE``."""
    return arguments if arguments[:1] and arguments[0] in ACTIONS else [RUN, *arguments]


def run(options: SweepOptions) -> Document | tuple[Document, int]:
    jobs = {item.name for item in option_fields(SweepOptions)} - {*_OF_REPORT, *_OF_COMPARE, *_OF_GATE}
    check_options(options, "sweep", options.action, _USED.get(options.action, jobs))
    if options.action == REPORT:
        from trex.cli.sweep_report import report

        return report(
            options.spec, options.store, options.column, options.where, options.best_by, options.lower,
            options.commit, is_short=not options.shows_all,
        )  # fmt: skip
    if options.action == COMPARE:
        return _compare(options)
    if options.action == GATE:
        from trex.cli.sweep_gate import gate

        return gate(
            options.spec, options.store, options.commit, options.base, options.fail_on, is_short=not options.shows_all
        )
    spec = _spec(options)
    store = Path(options.store or (Path(spec.folder) / spec.store if spec.store else store_path()))
    return _dry_run(options, spec, store) if options.dry_run else _run(options, spec, store)


def _compare(options: SweepOptions) -> Document:
    from trex.cli import console
    from trex.cli.stores import open_store
    from trex.sweep.cluster import client_of
    from trex.sweep.documents import pairs_document
    from trex.sweep.pairs import compare_pairs, run_pairs

    if not options.spec or not options.by:
        raise TrexError("compare takes the sweep's name and an axis", "trex sweep compare NAME --by gpu")
    store = open_store(options.store)
    pairs = run_pairs(store, options.spec, options.by, options.base)
    workers = options.workers or min(os.cpu_count() or 1, len(pairs))
    with console.patience("comparing"), client_of(options.scheduler, workers) as client:
        results = compare_pairs(client, store, pairs)
    return pairs_document(options.spec, options.by, results, len(results) if options.shows_all else _SHOWN_PAIRS)


def _spec(options: SweepOptions) -> SweepSpec:
    from trex.sweep.spec_toml import read_spec, spec_of_flags

    axes = {axis: getattr(options, axis) for axis in AXES}
    given = [axis for axis, values in axes.items() if values]
    if options.spec and given:
        raise TrexError(f"--{given[0]} and a file: the file has the axes", "leave one of them out")
    spec = read_spec(options.spec) if options.spec else spec_of_flags(axes, name=options.name or "sweep")
    kept: dict[str, Any] = {"name": options.name, "repetitions": options.repetitions}
    kept = {key: value for key, value in kept.items() if value}
    kept |= {"time_limit_s": float(options.time_limit)} if options.time_limit else {}
    kept |= {"retries": options.retries} if options.retries >= 0 else {}
    kept |= {"quarantine": options.quarantine} if options.quarantine >= 0 else {}
    return dataclasses.replace(spec, **kept)


def _dry_run(options: SweepOptions, spec: SweepSpec, folder: Path) -> Document:

    from trex.store.run_store import RunStore
    from trex.store.sweep_record import QUARANTINED
    from trex.sweep.backend_facts import facts_here
    from trex.sweep.documents import matrix_document
    from trex.sweep.matrix import Matrix
    from trex.sweep.progress import JobState, known_seconds
    from trex.sweep.sweep import states_of

    has_store = folder.is_dir()
    with ExitStack() as stack:
        models = folder / "sweeps" / "models" if has_store else Path(stack.enter_context(scratch_folder()))
        matrix = Matrix(spec, models, facts_here, is_strict=False)
        store = RunStore.open(folder) if has_store else None
        states = list(states_of(matrix.jobs, spec, store, folder))
        if options.again:
            states = [JobState(state.job) if state.status == QUARANTINED else state for state in states]
        workers = _local_workers(options, matrix.jobs)
        return matrix_document(spec, matrix.axes, states, known_seconds(folder), workers, not options.shows_all)


def _run(options: SweepOptions, spec: SweepSpec, folder: Path) -> tuple[Document, int]:
    from trex.cli.sweep_screen import watching_sweep
    from trex.store.run_store import RunStore
    from trex.sweep.backend_facts import facts_here
    from trex.sweep.cluster import client_of, local_gpus
    from trex.sweep.matrix import Matrix
    from trex.sweep.progress import OVER, SweepProgress, keep_session
    from trex.sweep.sweep import Sweep, states_of
    from trex.sweep.workers import asking

    store = RunStore.open(folder, create=True)
    started = time.monotonic()
    models = folder / "sweeps" / "models"
    with ExitStack() as stack:
        if options.scheduler:
            client = stack.enter_context(client_of(options.scheduler))
            jobs = Matrix(spec, models, asking(client)).jobs
        elif spec.needs_gpu:
            gpus = local_gpus()
            if not gpus:
                hint = f"--scheduler ADDRESS has workers with one; --backend {RTX} and {SIMULATED} need none"
                raise TrexError("NVML reports no GPU on this machine", hint)
            client = stack.enter_context(client_of("", 0, gpus))
            jobs = Matrix(spec, models, asking(client, waits=False)).jobs
        else:
            jobs = Matrix(spec, models, facts_here).jobs
            states = tuple(states_of(jobs, spec, store, folder, options.again))
            if all(state.status in OVER for state in states):  # there is nothing to start workers for
                progress = SweepProgress(spec.name, states, commit=options.commit)
                keep_session(folder, progress)
                return _answer(options, progress, started, folder)
            client = stack.enter_context(client_of("", _local_workers(options, jobs)))
        observe = stack.enter_context(watching_sweep(not options.is_for_reading))
        sweep = Sweep(
            spec, jobs, store, folder.resolve(), client, observe, is_forced=options.again, commit=options.commit or None
        )
        progress = sweep.run()
    return _answer(options, progress, started, folder)


def _answer(options: SweepOptions, progress: SweepProgress, started: float, folder: Path) -> tuple[Document, int]:
    from trex.sweep.documents import answer_document

    seconds = time.monotonic() - started
    again = ("trex", "sweep", options.spec, *(("--store", options.store) if options.store else ()))
    document = answer_document(progress, seconds, str(folder), again if options.spec else ())
    return document, _exit_code(progress)


def _local_workers(options: SweepOptions, jobs: tuple[Job, ...]) -> int:
    return options.workers or max(min(os.cpu_count() or 1, len(jobs)), 1)


def _exit_code(progress: SweepProgress) -> int:
    if progress.stopped_by:
        import signal

        return 128 + int(signal.Signals[progress.stopped_by])
    if progress.problem:
        return USAGE_ERROR
    return FINDINGS if progress.failed else DONE


COMMAND = Command(
    SweepOptions,
    run,
    spelled,
    exit_codes="0 done · 1 jobs or gate failed · 2 usage or input error, store full · 3 gate inconclusive · "
    "128 + N stopped by signal N",
)
