"""Labels of runs → Notes on those that name another batch size or GPU than the run's own files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.printable import printable
from trex.perf.known_devices import names_other_gpu

FACTS = ("id", "labels", "batch", "gpu", "shapes")
"""Columns of ``runs`` that are read."""
_CHARS = 80


def label_notes(runs: Iterable[Mapping[str, Any]], apart: Sequence[str] = ()) -> list[Note]:
    """One Note per label, about its first run. apart: columns that group the runs, as their other labels do."""
    rows = [{**run, "labels": dict(run["labels"] or {})} for run in runs]
    others = {"batch": [*_other_batches(rows, apart)], "gpu": [*_other_gpus(rows)]}
    return [_note(name, runs_of_label) for name, runs_of_label in others.items() if runs_of_label]


def _note(name: str, runs: Sequence[Mapping[str, Any]]) -> Note:
    first = runs[0]
    label, own = (printable(str(value))[:_CHARS] for value in (first["labels"][name], first[name]))
    message = (
        f"{counted(len(runs), 'run is', 'runs are')} labeled with another {name} than in the files: "
        f"{str(first['id'])[:8]} has the label {name}={label}, and {own} in its files"
    )
    return Note("label-contradicted", message, "if the label is wrong: trex store rm RUN, then add it again")


def _other_gpus(rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    differs = lru_cache(maxsize=None)(names_other_gpu)
    for row in rows:
        label, own = row["labels"].get("gpu"), row["gpu"]
        if label and isinstance(own, str) and differs(label, own):
            yield row


def _other_batches(rows: Iterable[Mapping[str, Any]], apart: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """The first dimension may count something else than the label: channels, the frames of a clip, both halves of a
    guided step. So runs that have all else in common are looked at together, and it counts as the labeled quantity only
    where it varies, is no constant multiple of the label, and some value is both.
    """
    groups: dict[tuple[Any, ...], list[tuple[int, int, Mapping[str, Any]]]] = defaultdict(list)
    for row in rows:
        label = row["labels"].get("batch", "")
        known = label.isascii() and label.isdecimal() and len(label) < 16 and row["batch"] == row["batch"]
        if known and int(label) and row["batch"] and isinstance(row["shapes"], str):
            named = ((name, text) for name, text in row["labels"].items() if name != "batch")
            key = (row["shapes"], *(row[name] for name in apart), *sorted(named))
            groups[key].append((int(label), int(row["batch"]), row))
    for group in groups.values():
        labels, own = {label for label, _, _ in group}, {batch for _, batch, _ in group}
        if len(own) > 1 and labels & own and len({batch / label for label, batch, _ in group}) > 1:
            yield from ({**row, "batch": batch} for label, batch, row in group if label != batch)
