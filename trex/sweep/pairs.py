"""Runs of a sweep that differ in one axis → what changed in each pair, and why; compared on Dask workers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.printable import printable
from trex.core.steps import in_steps
from trex.store.run_store import RunStore
from trex.store.selection import NAMES_OF_SWEEPS
from trex.store.sweep_cells import newest_jobs, present_runs
from trex.sweep.cluster import answers_in_order
from trex.sweep.job import EXAMPLE, SWEEP_LABEL
from trex.sweep.spec import AXES

if TYPE_CHECKING:
    from trex.plan.engine_plan import EnginePlan

COLUMNS = ("gpu", "tensorrt", "driver", "trex", "commit", "precision", "batch", "backend")
"""Facts of runs that pairs may differ in, next to the axes of the sweep."""

_OVER_TIME = ("tensorrt", "driver", "trex", "commit")
"""Facts that differ among the jobs of one configuration; for any other axis the runs that the sweep has now count."""

_SHARED = ("gpu", "tensorrt", "provenance", "model_hash")
"""Facts that both runs of a pair share, unless they are the axis."""

_WITHOUT = {
    **dict.fromkeys(("model", "batch", "shapes", "precision", "commit"), ("model_hash",)),
    "backend": ("tensorrt", "provenance"),
}
"""{axis: what differs with it}: an example network has a file per batch size, a commit may change the model."""


@dataclass(frozen=True, slots=True)
class RunPair:
    """name: what both have in common, and their commits where they differ. base, new: ids of the repetitions.
    old_value, new_value: of the axis. axis: its name.
    """

    name: str
    base: tuple[str, ...]
    new: tuple[str, ...]
    old_value: str
    new_value: str
    axis: str = ""


@dataclass(frozen=True, slots=True)
class PairResult:
    """base_ms, new_ms, change_pct: of GPU compute, else of what is known on both sides; None if unknown.

    outcome: as in ``trex compare``. cause: of the largest part of the difference, and its share in ms. reason: why
    there is no outcome or no cause, "" otherwise.
    """

    pair: RunPair
    base_ms: float | None = None
    new_ms: float | None = None
    change_pct: float | None = None
    outcome: str = "unknown"
    cause: str = ""
    cause_ms: float | None = None
    reason: str = ""
    too_fast: str = ""


def run_pairs(store: RunStore, sweep: str, axis: str, base: str = "") -> list[RunPair]:
    """Every configuration with another value of the axis than ``base``, by default the axis's first value.

    Raises TrexError for an unknown sweep, axis or value, and if no two runs differ in the axis alone.
    """
    query = f"SELECT * FROM runs WHERE labels['{SWEEP_LABEL}'] = ? ORDER BY made_at, repetition, id"
    runs = store.queries.frame(query, [sweep])
    runs = newest_jobs(runs, axis) if axis in _OVER_TIME else present_runs(store, runs, sweep)
    rows = runs.astype(object).where(runs.notna(), None).to_dict("records")
    if not rows:
        raise TrexError(f"the store has no runs of a sweep {sweep!r}", "trex store list", store.storage.where)
    labeled = {name for row in rows for name in dict(row["labels"] or {})} - {*NAMES_OF_SWEEPS}
    axes = [*(name for name in AXES if name in labeled), *sorted(labeled - {*AXES})]
    if axis not in (*axes, *COLUMNS):
        known = (*axes, *(name for name in COLUMNS if name not in axes))
        raise TrexError(f"the sweep has no axis {axis!r}", did_you_mean(axis, known, f"one of {', '.join(known)}"))
    shared = [name for name in _SHARED if name not in (axis, *axes, *_WITHOUT.get(axis, ()))]
    named = [name for name in shared if len({row[name] for row in rows}) > 1 and name != "model_hash"]
    groups: defaultdict[tuple[Any, ...], defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    names: dict[tuple[Any, ...], str] = {}
    seen: set[str] = set()
    for row in rows:
        labels = dict(row["labels"] or {})
        value = str((labels.get(axis) if axis in labels else row.get(axis)) or "")
        same = tuple(_word(name, labels.get(name, "")) for name in axes if name != axis)
        key = (*same, *(row[name] for name in shared))
        groups[key][value].append(str(row["id"]))
        names[key] = " · ".join(part for part in (*same, *(str(row[name] or "") for name in named)) if part)
        seen.add(value)
    values = sorted(seen, key=_in_order)
    base = base or values[0]
    if base not in values:
        raise TrexError(f"no run has {axis} {base!r}", did_you_mean(base, values, f"values: {', '.join(values)}"))
    commits = {} if axis == "commit" else {str(row["id"]): str(row["commit"] or "none")[:8] for row in rows}
    pairs = [
        RunPair(names[key] + _of_commits(commits, runs[base], ids), tuple(runs[base]), tuple(ids), base, value, axis)
        for key, runs in groups.items()
        if base in runs
        for value, ids in runs.items()
        if value != base
    ]
    if not pairs:
        raise TrexError(f"no two runs of the sweep differ in {axis} alone", f"values: {', '.join(values)}")
    return sorted(pairs, key=lambda pair: (pair.name, pair.new_value))


def _of_commits(commits: Mapping[str, str], *sides: Sequence[str]) -> str:
    """`` (commit a → b)`` where the sides differ: a job that failed leaves a configuration with its earlier run."""
    words = [", ".join(sorted({commits[run] for run in ids})) if commits else "" for ids in sides]
    return f" (commit {' → '.join(words)})" if len(set(words)) > 1 else ""


def compare_pairs(client: Any, store: RunStore, pairs: Sequence[RunPair]) -> list[PairResult]:
    """In the order of the pairs; a pair that can't be compared says why. Workers see the store's folder."""
    root = str(Path(store.storage.where).resolve())
    results = answers_in_order(client, partial(compare_pair, root), pairs, _result)
    return [*in_steps("pair", results, len(pairs))]


def _result(pair: RunPair, future: Any) -> PairResult:
    try:
        result: PairResult = future.result()
        return result
    except Exception as error:  # a damaged run, a worker that died
        return PairResult(
            pair, reason=printable(getattr(error, "message", "") or f"{type(error).__name__}: {error}")[:300]
        )


def compare_pair(root: str, pair: RunPair) -> PairResult:
    """On a worker. Raises TrexError for a run that can't be read."""
    from trex.compare.metric import METRICS
    from trex.compare.one_engine import check_engines, check_measured
    from trex.compare.plan_diff import PlanDiff
    from trex.compare.repeated_runs import middle_first
    from trex.compare.run_settings import LONG_WORDS
    from trex.perf.performance import Performance

    store = RunStore.open(root)
    base, new = (middle_first(_plans(store, ids)) for ids in (pair.base, pair.new))
    check_measured((*base, *new))
    for side in (base, new):
        check_engines([Performance(plan) for plan in side])
    diff = PlanDiff(base[0], new[0], None, None, base[1:], new[1:])
    if diff.contradicted:
        return PairResult(pair, reason=f"times can't be trusted: {diff.contradicted[0].message}")
    compared = METRICS["compute"].value.settings
    others = [name for name in compared if not any(word in pair.axis.lower() for word in LONG_WORDS.findall(name))]
    if other := diff.parity.other_quantity(others):
        return PairResult(pair, reason=other)
    main = diff.main
    reason = diff.withheld
    if not reason and diff.layer_doubts:
        reason = f"layer times can't be trusted: {diff.layer_doubts[0].message}"
    steps = () if reason else diff.waterfall.steps
    largest = max(steps, key=lambda step: abs(step.difference_ms), default=None)
    return PairResult(
        pair,
        main.left_ms,
        main.right_ms,
        main.change_pct,
        main.outcome.value,
        "" if largest is None else largest.name,
        None if largest is None else largest.difference_ms,
        reason or main.reason,
        next((note.message for note in diff.too_fast), ""),
    )


def _plans(store: RunStore, ids: Sequence[str]) -> list[EnginePlan]:
    return [store.plan(run_id) for run_id in ids]


def _in_order(value: str) -> list[tuple[int, int, str]]:
    """10.4 before 10.13, and 8 before 16."""
    return [(int(part), 0, "") if part.isdecimal() else (0, 1, part) for part in re.split(r"(\d{1,18})", value)]


def _word(axis: str, value: str) -> str:
    return f"batch {value}" if axis == "batch" and value else value.removeprefix(EXAMPLE)
