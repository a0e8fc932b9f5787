"""How fast: adding runs to a store, compacting it, and asking one of 100 000 runs.

Run ``python -m tests.benchmarks --only store`` (minutes).

How it measures
    The large store has rows of real engines (bundled ones where they are not next to the repository), each many times
    over with other ids, days and times, sorted as a compaction sorts them (``replicated_store.py``); its manifests and
    files are left out: lists and queries do not read them. Each question is asked in this process, the least of the
    repetitions, with the connection of before; the first one, which opens the files, is a line of its own. ``trex store
    list`` is a process of its own, in processor seconds. Engines are added and compacted in a store of their own.

Targets
    100 000 compacted runs: list 0.3 s, history of a model 0.5 s, any aggregate over all layers of 10 000 000 rows or
    fewer 1 s.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter

from tests.benchmarks.replicated_store import engines, write_store
from tests.benchmarks.table import REPOSITORY, Line, Part, environment
from trex.store.adding import AddOptions, add_addresses
from trex.store.check import check_store
from trex.store.compaction import compact
from trex.store.history import history_of
from trex.store.listing import list_runs
from trex.store.run_store import RunStore

RUNS = 100_000
LIST_S, HISTORY_S, LAYERS_S, PROCESS_S = 0.3, 0.5, 1.0, 1.0
MOST_ROWS = 10_000_000
QUESTIONS = {
    "history of a model": (
        "SELECT made_at, tensorrt, commit, gpu_compute_ms, layer_sum_ms, findings FROM runs WHERE model = 'model-1' "
        "ORDER BY made_at",
        HISTORY_S,
    ),
    "  its layers by run": (
        "SELECT l.name, r.made_at, l.time_ms FROM layers l JOIN runs r USING (id) "
        "WHERE l.model = 'model-1' AND r.model = 'model-1' ORDER BY ALL",
        HISTORY_S,
    ),
    "time by type, all layers": ("SELECT type, count(*), sum(time_ms) FROM layers GROUP BY type", LAYERS_S),
    "time by GPU and type, all layers": (
        "SELECT r.gpu, l.type, sum(l.time_ms) FROM layers l JOIN runs r USING (id) GROUP BY ALL",
        LAYERS_S,
    ),
    "slowest kernels, all runs": ("SELECT tactic, sum(time_ms) FROM tactics GROUP BY 1 ORDER BY 2 DESC LIMIT 10", None),
    "findings by rule, all runs": ("SELECT code, count(*), sum(likely_savings_ms) FROM findings GROUP BY 1", None),
}


def parts(folder: Path, runs: int, repeats: int) -> list[Part]:
    """What is measured, in order."""
    return [("store add", partial(adding, folder)), ("store", partial(asking, folder, runs, repeats))]


def adding(folder: Path) -> Iterator[Line]:
    """Per run: adding real engines, adding them again, and a compaction."""
    path = folder / "added"
    shutil.rmtree(path, ignore_errors=True)
    store = RunStore.open(path, create=True)
    add_addresses(store, engines()[:1], AddOptions())  # imports
    before = perf_counter()
    count = len(add_addresses(store, engines(), AddOptions(labels={"turn": "1"})).added)
    seconds = perf_counter() - before
    yield Line("add a run", seconds / count, "s", None, f"{count} engines: read, linted, compressed, indexed")
    seconds = _seconds(lambda: add_addresses(store, engines(), AddOptions(labels={"turn": "1"})))
    yield Line("  known already", seconds / count, "s")
    seconds = _seconds(lambda: store.queries.rows("SELECT count(*) FROM layers"))
    yield Line("  a query before a compaction", seconds, "s", None, f"{5 * (count + 1)} files")
    runs = count + 1
    yield Line("  compact, a run", _seconds(lambda: compact(store)) / runs, "s")
    seconds = _seconds(lambda: check_store(store))
    yield Line("  fsck, a run", seconds / runs, "s")


def asking(folder: Path, runs: int, repeats: int) -> Iterator[Line]:
    path = folder / "large"
    shutil.rmtree(path, ignore_errors=True)
    store = write_store(path, runs)
    ((layers,),) = RunStore.open(path).queries.rows("SELECT count(*) FROM layers")
    size = sum(file.stat().st_size for file in path.rglob("*.parquet")) / 1e6
    what, has_targets = f"{runs:,} runs", runs >= RUNS and layers <= MOST_ROWS
    seconds = _seconds(lambda: store.queries.rows("SELECT count(*) FROM runs"))
    yield Line(f"open, {what}", seconds, "s", None, f"{layers:,} layers, {size:.0f} MB of tables")
    samples = [_seconds(lambda: list_runs(store)) for _ in range(repeats)]
    yield Line("  list", min(samples), "s", LIST_S if has_targets else None, "", tuple(samples))
    for question, (sql, target) in QUESTIONS.items():
        samples = [_seconds(partial(store.queries.rows, sql)) for _ in range(repeats)]
        yield Line(f"  {question}", min(samples), "s", target if has_targets else None, "", tuple(samples))
    samples = [_seconds(lambda: history_of(store, "model-1").events) for _ in range(repeats)]
    yield Line("  trex history, its changes", min(samples), "s", HISTORY_S if has_targets else None, "", tuple(samples))
    samples = [_processor_s(path) for _ in range(repeats)]
    target = PROCESS_S if has_targets else None
    yield Line("  trex store list, processor", min(samples), "s", target, "with the start of Python", tuple(samples))


def _seconds(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start


def _processor_s(store: Path) -> float:
    script = (
        "import json, resource, subprocess, sys;"
        "subprocess.run([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL, check=True);"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(json.dumps(used.ru_utime + used.ru_stime))"
    )
    command = (sys.executable, "-c", script, "-m", "trex", "store", "list", "--store", str(store))
    done = subprocess.run(command, cwd=REPOSITORY, env=environment(), capture_output=True, text=True, check=True)
    seconds: float = json.loads(done.stdout)
    return seconds
