"""A layer profile and the table of layer times in the log of its run → a Note if they are of two runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.significant import significant
from trex.core.timings import LayerTime, LayerTimes
from trex.ingest.logs.log_run import LogRun

TWO_RUNS = "times-of-two-runs"
_EXPORTED = "Export profile to JSON file"
_ROUNDED = 1e-3
"""Share of a time. trtexec writes six digits into the profile, and a fixed number of decimals into the table."""
_OTHER_RUN, _MOST_OTHER = 1.5, 0.1
"""What other clocks do not explain, in layers of more than this share of the time."""


def differing_times(profile: LayerTimes, runs: Sequence[LogRun]) -> Iterator[Note]:
    """trtexec writes both from the same numbers, so they are equal to the last decimal.

    runs: the last one first. A table is compared if its run exported a profile of this name, or alone exported one.
    Records are compared by name, if both have as many of it: the table has none of 0 ms.
    """
    exporting = [run for run in runs if _exported(run)]
    named = [run for run in exporting if _exported(run) == PurePath(profile.source.replace("\\", "/")).name]
    writer = next(iter(named), exporting[0] if len(exporting) == 1 else None)
    if writer is None or writer.layer_times is None or profile.marks:
        return
    pairs = list(_pairs(profile.records, writer.layer_times.records))
    off = _off(pairs)
    if not off:
        return
    own, other = (math.fsum(record.ms or 0.0 for record in side) for side in zip(*pairs, strict=True))
    log = PurePath(writer.layer_times.source).name
    message = (
        f"the times of {len(off)} of {counted(len(pairs), 'layer')} differ between the layer profile "
        f"({significant(own, 4)} ms in all) and the table in {log} ({significant(other, 4)} ms): these are two runs"
    )
    is_certain = _other_share(pairs) > _MOST_OTHER
    hint = "keep the files of one run together"
    yield Note(TWO_RUNS, message, hint, profile.source, "problem" if is_certain else "warning")


def _exported(run: LogRun) -> str:
    """The name of the file."""
    path = str(run.metadata.reporting_options.get(_EXPORTED) or "")
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
    ends = [sorted((one.ms or 0.0, other.ms or 0.0)) for one, other in pairs]
    whole = math.fsum(high for _, high in ends)
    return math.fsum(high for low, high in ends if high > _OTHER_RUN * low) / whole if whole else 0.0
