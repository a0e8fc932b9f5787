"""trtexec's table of layer times (``--dumpProfile``) → LayerTimes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.significant import significant
from trex.core.timings import LONGEST_MS, LayerTime, LayerTimes
from trex.ingest.logs.log_sections import NUMBER
from trex.ingest.spelling.printable import printable_name

_TITLE = re.compile(r"=== Profile \( ?([0-9]{1,18}) iterations? ?\) ===$", re.ASCII)
_CELL = re.compile(r"\S+(?: \S+){0,9999}")
_NUMBER = re.compile(NUMBER, re.ASCII)
_FIELDS = ("total_ms", "average_ms", "median_ms", "share_pct")
_TOTAL = "Total"
_MOST_COLUMNS = 32
_OFF = {"total_ms": (0.005, 0.01), "average_ms": (0.00005, 0.01), "median_ms": (0.00005, 0.05)}
"""(ms of a row with two or four decimals, share of the sum) by which the rows may be off Total: by 0.1 % on two real
engines. A median of sums is not the sum of medians.
"""


def profile_count(message: str) -> int | None:
    """Number of profiled iterations in the table's title; None for other lines."""
    match = _TITLE.match(message.rstrip(" \t"))
    return int(match[1]) if match else None


class ProfileTable:
    """Reads the table line by line: the heading, a row per layer, ``Total``.

    Until 8.5 the name is first, right-aligned, and 8.2 has no median; since 8.6 the name is last and extends to the end
    of the line. The heading decides, so additional columns do no harm.
    """

    def __init__(self, count: int, line: int) -> None:
        self.count = count
        self.line = line
        self.rows: list[tuple[str, dict[str, float | None]]] = []
        self.unread: list[int] = []
        self._fields: list[str] | None = None
        self._name_first = False
        self._pattern: re.Pattern[str] = _NUMBER

    def add(self, message: str, line: int) -> None:
        if self._fields is None:
            self._read_heading(message)
            return
        row = self._row(message)
        if row is None:
            self.unread.append(line)
        else:
            self.rows.append(row)

    def finish(self, where: str) -> LayerTimes:
        """The layers' times in table order, without ``Total``."""
        records: list[LayerTime] = []
        seen: dict[str, int] = {}
        rows = self.rows
        has_total = bool(rows) and rows[-1][0].strip(" \t") == _TOTAL
        for written, numbers in rows[:-1] if has_total else rows:
            name = printable_name(written)
            occurrence = seen.get(name, 0)
            seen[name] = occurrence + 1
            total, average, median, share = map(numbers.get, _FIELDS)
            extra = {field: value for field, value in numbers.items() if field not in _FIELDS}
            records.append(LayerTime(name, occurrence, total, average, median, share, extra=extra))
        return LayerTimes(tuple(records), self.count, where, tuple(self._notes(has_total, where)))

    def _notes(self, has_total: bool, where: str) -> list[Note]:
        address = f"{where}:{self.line}" if where else ""
        notes = [
            Note(
                "profile-from-console",
                "layer times come from trtexec's console table: four decimals, no layers without time",
                "for exact figures: trtexec --exportProfile=FILE.profile.json --separateProfileRun",
                address,
                "info",
            )
        ]
        if self.unread:
            notes.append(
                Note(
                    "unreadable-profile-row",
                    f"{counted(len(self.unread), 'row')} of the layer time table could not be read",
                    where=f"{where}:{self.unread[0]}" if where else "",
                    severity="problem",
                )
            )
        if not has_total:
            notes.append(
                Note(
                    "profile-table-cut",
                    f"the layer time table ends after {counted(len(self.rows), 'row')} without Total: log truncated",
                    where=address,
                )
            )
        elif not self.unread:
            notes += self._total_notes(address)
        return notes

    def _total_notes(self, address: str) -> Iterator[Note]:
        """Layers without time have no row, and add nothing."""
        for field, (rounded_ms, off) in _OFF.items():
            *times, total = (numbers.get(field) for _, numbers in self.rows)
            whole = math.fsum(ms or 0.0 for ms in times)
            if (
                total is None
                or None in times
                or abs(whole - total) <= rounded_ms * len(times) + off * max(whole, total)
            ):
                continue
            message = (
                f"the rows of the layer time table add up to {significant(whole, 4)} ms, its Total is "
                f"{significant(total, 4)} ms: rows are missing or changed"
            )
            yield Note("profile-total-contradicts", message, "keep the log of the run as trtexec writes it", address)
            return

    def _read_heading(self, message: str) -> None:
        cells = _CELL.findall(message)
        if "Layer" not in cells or len(cells) > _MOST_COLUMNS:
            self.unread.append(self.line)
            self._fields = []
            return
        self._name_first = cells[0] == "Layer"
        self._fields = [_field(cell) for cell in cells if cell != "Layer"]
        numbers = r"[ \t]+".join([f"({NUMBER})"] * len(self._fields))
        self._pattern = re.compile(rf"[ \t]*{numbers}(?: {{1,3}}(.*))?$", re.ASCII | re.DOTALL)

    def _row(self, message: str) -> tuple[str, dict[str, float | None]] | None:
        if not self._fields:
            return None
        if self._name_first:
            name, *numbers = message.strip(" \t").rsplit(None, len(self._fields)) or [""]
            is_row = len(numbers) == len(self._fields) and all(map(_NUMBER.fullmatch, numbers))
            return (name, self._numbers(numbers)) if is_row else None
        match = self._pattern.match(message)
        return (match.groups()[-1] or "", self._numbers(match.groups()[:-1])) if match else None

    def _numbers(self, texts: Iterable[str]) -> dict[str, float | None]:
        values = map(float, texts)
        return {
            field: value if 0 <= value <= LONGEST_MS else None
            for field, value in zip(self._fields or (), values, strict=True)
        }


def _field(cell: str) -> str:
    """The LayerTime field of a heading: ``average_ms`` for ``Avg. Time (ms)`` and ``Avg.(ms)``; others verbatim."""
    lowered = cell.lower()
    if "%" in lowered:
        return "share_pct"
    if lowered.startswith("avg"):
        return "average_ms"
    if lowered.startswith("median"):
        return "median_ms"
    return "total_ms" if lowered.startswith("time") else cell
