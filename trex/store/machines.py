"""Rows of the table ``runs`` → Notes on what makes their times hard to compare: clocks, throttling, problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.printable import shell_word
from trex.store.history_metrics import METRICS
from trex.store.run import MEASURED, SKEW

if TYPE_CHECKING:
    import pandas as pd

_MIXED_CLOCK = 0.05


def clock_notes(runs: pd.DataFrame) -> list[Note]:
    notes = []
    late = int(((runs["made_at"] - runs["added_at"]) > SKEW).sum())
    if late:
        message = (
            f"{counted(late, 'run was', 'runs were')} made after they were added: the clocks of the machines differ"
        )
        notes.append(Note("clock-skew", message, "order by commit instead: --by commit"))
    by_files = int((runs["made_at_from"] == "files").sum())
    if by_files:
        message = f"{counted(by_files, 'run is', 'runs are')} dated by the time of the files, which a copy may change"
        notes.append(Note("dated-by-files", message, "trex process records the time of a run", "", "info"))
    return notes


def doubt_notes(runs: pd.DataFrame, store: str) -> list[Note]:
    """On runs whose files contradict each other: those without a time that counts, and the others. store: where they
    are.
    """
    has_problems = (runs["problems"].fillna(0) > 0).to_numpy(dtype=bool)
    columns = [metric.column for metric in METRICS.values() if metric.kind == "ms"]
    is_timed = runs[columns].notna().any(axis=1).to_numpy(dtype=bool)
    notes = []
    for doubted, words in (
        (
            has_problems & ~is_timed,
            ("run has no times here: its files have problems", "runs have no times here: their files have problems"),
        ),
        (
            has_problems & is_timed,
            ("run counts although its files have problems", "runs count although their files have problems"),
        ),
    ):
        if count := int(doubted.sum()):
            first = str(runs["id"].to_numpy()[doubted][0])[:8]
            command = f"TREX_STORE={shell_word(store)} trex summary store:{shell_word(first)}"
            notes.append(Note("doubted-runs", counted(count, *words), command))
    return notes


class Machines:
    """What the runs say about their machines, read once."""

    def __init__(self, runs: pd.DataFrame) -> None:
        self.clocks = runs["clock_mhz"].to_numpy(dtype=float, na_value=np.nan)
        self.throttled = runs["throttled"].fillna(value=False).astype(bool).to_numpy()
        self.measured = (runs["provenance"] == MEASURED).to_numpy(dtype=bool)
        self.versions = {fact: runs[fact].to_numpy(dtype=object) for fact in ("driver", "trex")}

    def notes(self, rows: np.ndarray, name: str) -> Iterator[Note]:
        clocks = self.clocks[rows]
        clocks = clocks[~np.isnan(clocks)]
        if len(clocks) > 1 and clocks.max() > (1.0 + _MIXED_CLOCK) * clocks.min():
            message = (
                f"GPU clocks from {clocks.min():.0f} to {clocks.max():.0f} MHz: other machines, or clocks not locked"
            )
            yield Note("mixed-clocks", message, "lock them: trex process without --dont-lock-clocks", name)
        if throttled := int(self.throttled[rows].sum()):
            yield Note("throttled-runs", f"{counted(throttled, 'run was', 'runs were')} throttled", "", name)
        for fact, what in (("driver", "drivers"), ("trex", "versions of trex")):
            versions = sorted({text for value in self.versions[fact][rows] if (text := _known(value))})
            if len(versions) > 1 and (fact == "driver" or not self.measured[rows].all()):
                message = f"{len(versions)} {what} in one series: {', '.join(versions[:4])}"
                yield Note(f"mixed-{fact}", message, "", name, "info")


def machine_notes(runs: pd.DataFrame, store: str) -> list[Note]:
    """Of runs that are compared: doubts, and for each GPU and origin of times its clocks, throttling and drivers.
    store: where they are.
    """
    machines = Machines(runs)
    groups = runs.reset_index(drop=True).groupby(["gpu", "provenance"], dropna=False, sort=False).indices
    several = len({gpu for gpu, _ in groups}) > 1
    notes = doubt_notes(runs, store)
    for (gpu, _), rows in groups.items():
        notes += machines.notes(rows, (_known(gpu) or "unknown GPU") if several else "")
    return notes


def merged(notes: Sequence[Note]) -> Iterator[Note]:
    """Equal notes of several configurations as one."""
    same_notes: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        same_notes.setdefault((note.code, note.message), []).append(note)
    for same in same_notes.values():
        yield same[0] if len(same) == 1 else replace(same[0], where=f"{len(same)} configurations")


def _known(value: object) -> str:
    return "" if value is None or value != value else str(value)
