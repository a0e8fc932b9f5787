"""A layer profile and the table of layer times in a log → a Note if they are of two runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.significant import significant
from trex.core.timings import LayerTime, LayerTimes
from trex.ingest.logs.log_run import LogRun

TWO_RUNS = "times-of-two-runs"
_EXPORTED = "Export profile to JSON file"
_OPTION = re.compile(r"--exportProfile=(\S+)")
_ROUNDED = 1e-3
"""Share of a time. trtexec writes six digits into the profile, and a fixed number of decimals into the table."""
_OTHER_RUN, _MOST_OTHER = 1.5, 0.1
"""What other clocks do not explain, in layers of more than this share of the time."""


def differing_times(profile: LayerTimes, runs: Sequence[LogRun]) -> Iterator[Note]:
    """trtexec writes both from the same numbers, so they are equal to the last decimal.

    runs: the last one first. A table is of the profile's run if that exported a profile of this name, or alone exported
    one. Where no run says that it exported one, each table may be of another run: only times that no two runs of an
    engine explain differ, and only if no table has the profile's. Records are compared by name, if both have as many of
    it: the table has none of 0 ms.
    """
    if profile.marks:
        return
    exporting = [run for run in runs if _exported(run)]
    named = [run for run in exporting if _exported(run) == PurePath(profile.source.replace("\\", "/")).name]
    writer = next(iter(named), exporting[0] if len(exporting) == 1 else None)
    others = [] if exporting else [run for run in runs if run.layer_times]
    notes = [_note(profile, run, is_writer=run is writer) for run in ([writer] if writer else others)]
    if all(notes):
        yield from filter(None, notes[:1])


def _note(profile: LayerTimes, run: LogRun, *, is_writer: bool) -> Note | None:
    table = run.layer_times
    if table is None:
        return None
    pairs = list(_pairs(profile.records, table.records))
    is_certain = _other_share(pairs) > _MOST_OTHER
    if is_writer:
        off = len(_off(pairs))
    else:
        off = sum(map(_is_other, pairs)) if is_certain else 0
        # trtexec runs for seconds: a run at other clocks has another number of iterations.
        is_certain = not _is_without_profile(run) and profile.count is not None and profile.count == table.count
    if not off:
        return None
    own, other = (math.fsum(record.ms or 0.0 for record in side) for side in zip(*pairs, strict=True))
    message = (
        f"the times of {off} of {counted(len(pairs), 'layer')} differ between the layer profile "
        f"({significant(own, 4)} ms in all) and the table in {PurePath(table.source).name} ({significant(other, 4)} ms)"
        ": these are two runs"
    )
    hint = "keep the files of one run together"
    return Note(TWO_RUNS, message, hint, profile.source, "problem" if is_certain else "warning")


def _is_without_profile(run: LogRun) -> bool:
    """Whether the log says so, of a run that exported none: in its command, or in its list of options."""
    return bool(run.metadata.command_line) or _EXPORTED in run.metadata.reporting_options


def _exported(run: LogRun) -> str:
    """The name of the file, "" if the run exported none or its log does not say so."""
    option = _OPTION.search(run.metadata.command_line)
    path = str(run.metadata.reporting_options.get(_EXPORTED) or (option[1] if option else ""))
    return PurePath(path.replace("\\", "/")).name


_Pair = tuple[LayerTime, LayerTime]


def _pairs(records: Sequence[LayerTime], others: Sequence[LayerTime]) -> Iterator[_Pair]:
    own, rows = _by_name(records), _by_name(others)
    for name in own.keys() & rows.keys():
        if len(own[name]) == len(rows[name]):
            yield from zip(own[name], rows[name], strict=True)


def _by_name(records: Sequence[LayerTime]) -> dict[str, list[LayerTime]]:
    names: dict[str, list[LayerTime]] = {}
    for record in records:
        if record.total_ms or record.ms:
            names.setdefault(record.name, []).append(record)
    return names


def _off(pairs: Sequence[_Pair]) -> set[int]:
    """Indexes of pairs that differ by more than what is rounded in the file with fewer decimals."""
    off: set[int] = set()
    for field in ("total_ms", "average_ms", "median_ms"):
        columns = [[getattr(record, field) for record in side] for side in zip(*pairs, strict=True)]
        if columns:
            last = max(10.0 ** -max(map(_decimals, column)) for column in columns)
            off.update(
                index
                for index, (one, other) in enumerate(zip(*columns, strict=True))
                if None not in (one, other) and abs(one - other) > last + _ROUNDED * max(one, other)
            )
    return off


def _decimals(ms: float | None) -> int:
    text = f"{ms or 0.0:.6f}".rstrip("0")
    return len(text.partition(".")[2])


def _other_share(pairs: Sequence[_Pair]) -> float:
    whole = math.fsum(map(_longer, pairs))
    return math.fsum(_longer(pair) for pair in pairs if _is_other(pair)) / whole if whole else 0.0


def _longer(pair: _Pair) -> float:
    return max(record.ms or 0.0 for record in pair)


def _is_other(pair: _Pair) -> bool:
    return _longer(pair) > _OTHER_RUN * min(record.ms or 0.0 for record in pair)
