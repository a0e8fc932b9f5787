"""Runs → Notes on those whose times contradict the GPU, are another run's to the last digit, or of another quantity."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from trex.compare.run_settings import LONG_WORDS, MEASURED_AS
from trex.core.counted import counted
from trex.core.note import Note
from trex.rules.builtin.contradictory_times import AGAINST_GPU
from trex.store.run import MEASURED, StoredRun
from trex.store.run_store import RunStore

if TYPE_CHECKING:
    import pandas as pd

_SQL = "SELECT id, message FROM findings WHERE code = 'MEAS004' AND starts_with(message, ?) ORDER BY id"
_WORK = ("batch", "precision", "shapes")
"""Facts of an engine that one run has once."""
_TIMES = ["gpu_compute_ms", "latency_ms", "throughput_qps", "p99_ms", "gpu_compute_p99_ms", "enqueue_ms"]
_FEWEST = 3
"""Equal times that two runs do not have by chance."""


def doubted_times(store: RunStore, run_ids: Collection[str]) -> Iterator[Note]:
    """At most one warning. Times that are certainly wrong are unknown in the store, doubtful ones are kept."""
    doubted = [(run, message) for run, message in store.queries.rows(_SQL, [AGAINST_GPU]) if run in run_ids]
    if doubted:
        run, message = doubted[0]
        runs = counted(len(dict(doubted)), "run has", "runs have")
        hint = f"trex lint store:{run[:8]}; export the files of that run again"
        yield Note("doubted-times", f"{runs} doubtful times ({run[:8]}: {message})", hint, store.storage.where)


def shared_times(runs: pd.DataFrame, where: str) -> Iterator[Note]:
    """At most one warning: measured runs of two batch sizes, inputs or precisions with the same times. runs: rows of
    the store.
    """
    measured = runs[(runs["provenance"] == MEASURED) & (runs[_TIMES].notna().sum(axis=1) >= _FEWEST)]
    for _, same in measured.groupby(_TIMES, dropna=False, sort=False):
        fact = next((fact for fact in _WORK if same[fact].nunique() > 1), "")  # unknown is no other
        if fact:
            one, other = (str(run)[:8] for run in same.dropna(subset=fact).drop_duplicates(fact)["id"].iloc[:2])
            message = f"runs {one} and {other} have the same times to the last digit, but another {fact}"
            hint = f"trex compare store:{one} store:{other}"
            yield Note("shared-times", f"{message}: one was not measured", hint, where)
            return


def times_of(run: StoredRun) -> tuple[float | None, ...]:
    """What two measured runs do not have in common by chance; () if the run has too few times, or predicted ones."""
    times = tuple(getattr(run, name) for name in _TIMES)
    return times if run.provenance == MEASURED and len(times) - times.count(None) >= _FEWEST else ()


def is_other_work(run: StoredRun, other: StoredRun) -> bool:
    """Whether a known batch size, input shape or precision differs."""
    pairs = ((getattr(run, name), getattr(other, name)) for name in _WORK)
    return any(None not in pair and pair[0] != pair[1] for pair in pairs)


def measured_differently(runs: pd.DataFrame, axes: Collection[str], where: str) -> Iterator[Note]:
    """A warning for each way of measuring that no axis names, in which the runs differ. runs: rows of the store."""
    named = {word for axis in axes for word in LONG_WORDS.findall(axis.lower())}
    for setting in MEASURED_AS:
        known = runs["options"].map(lambda options, name=setting: (options or {}).get(name))
        values = sorted({str(value) for value in known if value is not None})
        if len(values) > 1 and not any(word in axis for word in LONG_WORDS.findall(setting.lower()) for axis in named):
            message = f"the runs differ in {setting} ({', '.join(values)}): their times are not of the same quantity"
            yield Note("runs-measured-differently", message, "measure them in one way, or name it as an axis", where)
