"""Rows of the table ``runs`` → which of them have the measured times of another one: its files, not measured again.

Two runs never repeat each other to the last digit. The columns find the few runs to read, their files decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from trex.compare.two_runs import are_same_profiles, are_same_queries, copied_profiles
from trex.core.errors import TrexError
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.store.run import MEASURED

if TYPE_CHECKING:
    import pandas as pd

    from trex.store.run_store import RunStore

_QUERIES = ("gpu_compute_ms", "latency_ms", "gpu_compute_p99_ms", "p99_ms", "enqueue_ms", "samples")
_LAYERS = ("layer_sum_ms", "timed_layers")
_ROUNDED = 2e-6
"""A summary has six digits, per-query times have all."""


def with_other_queries(store: RunStore, runs: pd.DataFrame) -> dict[str, str]:
    """{run: the first one, in the order of the rows, with the same queries}."""
    return _copies(store, runs, _QUERIES, are_same_queries)


def with_other_layers(store: RunStore, runs: pd.DataFrame) -> dict[str, str]:
    """{run: the first one, in the order of the rows, with the same layer times}."""
    return _copies(store, runs, _LAYERS, are_same_profiles)


def with_other_profile(store: RunStore, runs: pd.DataFrame) -> dict[str, str]:
    """As ``with_other_layers``, without runs of one engine that was profiled once: they differ in nothing but queries
    that were measured again.
    """
    return _copies(store, runs, _LAYERS, _has_other_profile)


def _has_other_profile(base: EnginePlan, new: EnginePlan) -> bool:
    if not are_same_profiles(base, new):
        return False
    sides = Performance(base), Performance(new)
    if any(side.reconciliation.measures.compute.ms is None for side in sides):
        return True
    return any(copied_profiles(sides[:1], sides[1:]))


def _copies(
    store: RunStore, runs: pd.DataFrame, columns: Sequence[str], are_same: Callable[[EnginePlan, EnginePlan], bool]
) -> dict[str, str]:
    measured = runs[runs["provenance"] == MEASURED]
    ids = [str(run_id) for run_id in measured["id"]]
    times = measured[list(columns)].to_numpy(dtype=float, na_value=np.nan)
    result: dict[str, str] = {}
    for rows in _with_one_time(times[:, 0]):
        plans: dict[int, EnginePlan | None] = {}
        for number, row in enumerate(rows[1:], 1):
            earlier = rows[:number]
            is_near = (np.abs(times[earlier] - times[row]) <= _ROUNDED * times[row]) | np.isnan(
                times[earlier] + times[row]
            )
            for other in earlier[is_near.all(axis=1)]:
                if ids[other] in result:
                    continue
                for one in (other, row):
                    if one not in plans:
                        plans[one] = _plan(store, ids[one])
                base, new = plans[other], plans[row]
                if base is not None and new is not None and are_same(base, new):
                    result[ids[row]] = ids[other]
                    del plans[row]
                    break
    return result


def _with_one_time(times: np.ndarray) -> Iterator[np.ndarray]:
    """The rows of each time that several have, in their order; those whose time is not known are left out."""
    known = np.flatnonzero(np.isfinite(times))
    by_time = known[np.argsort(times[known], kind="stable")]
    ordered = times[by_time]
    ends = np.flatnonzero(np.diff(ordered) > _ROUNDED * ordered[1:]) + 1
    for rows in np.split(by_time, ends):
        if len(rows) > 1:
            yield np.sort(rows)


def _plan(store: RunStore, run_id: str) -> EnginePlan | None:
    """None of a run whose files can't be read."""
    try:
        return store.plan(run_id)
    except TrexError:
        return None
