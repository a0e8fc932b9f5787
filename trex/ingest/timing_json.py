"""Timing JSON → QueryTimes: per-query times, column by column."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import orjson

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.timings import CUT_OFF, LONGEST_MS, MISSING_TIMES, QueryTimes
from trex.ingest.finding.file_kind import Kind, wrong_kind
from trex.ingest.lenient_json import parse
from trex.ingest.query_order import STARTS, in_order, start_key
from trex.ingest.spelling.written_number import written_number

NAN = float("nan")
EXPORT_HINT = "export it with: trtexec --loadEngine=MODEL.engine --separateProfileRun --exportTimes=MODEL.timing.json"

# Points in time and durations: all names that trtexec 7.0 to 11.1 writes, in its order.
DURATIONS = ("h2dMs", "inMs", "computeMs", "d2hMs", "outMs", "latencyMs", "endToEndMs")
_KNOWN = frozenset(
    {*STARTS, *DURATIONS, "endEnqMs", "endH2dMs", "endComputeMs", "startD2hMs", "endD2hMs", "endInMs"}
    | {"startOutMs", "endOutMs"}
)

# A few hundred rows at a time stay in the processor's cache and below the garbage collector's attention.
_CHUNK_BYTES = 1 << 16
_MAX_COLUMNS = 64

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*(?=[{\]])")
_SEPARATOR = re.compile(rb"\s*,\s*(?=\{)")
_CLOSING = re.compile(rb"\s*(?:,\s*)?\]\s*\Z")
_TORN = re.compile(rb"\s*(?:,\s*(?:\{[^{}\[\]]*)?)?\Z")
_VALUE_BYTES, _TIMES, _MORE = 8, 8, 60_000_000
"""Of a column; what all columns may take: so many times the file's bytes, and so many bytes more."""
_NOT_A_NUMBER = re.compile(rb":\s*[-+]?(?:nan|inf(?:inity)?)\b", re.IGNORECASE)


def read_timing(data: bytes, where: str = "") -> QueryTimes:
    """The per-query times in the bytes of a JSON file, in milliseconds, one array of doubles per key.

    Accepted: trtexec's ``--exportTimes`` of TensorRT 7.0 to 11.x (a list of flat objects, maybe empty). Keys are kept;
    ``warm_up_rows`` stays None (see ``mark_warm_up``). A million rows are read in about a second: a few hundred at a
    time, so that few objects exist at once.

    Raises TrexError if the file is something else, or if so many values are missing that they take more than the rest.
    """
    columns = _Columns(where, len(data))
    if not _read_chunks(data, columns):
        columns = _Columns(where, len(data))
        _read_whole(data, columns)
    return columns.query_times(data)


def mark_warm_up(query_times: QueryTimes, warm_up_ms: float | None) -> QueryTimes:
    """The same times with ``warm_up_rows`` set to the number of leading rows that start before ``warm_up_ms``.

    A row starts with its computation (``startComputeMs``, else the first of startH2dMs, startInMs, startEnqMs that
    exists), relative to the start of the benchmark. On twelve real files, the remaining rows are exactly Throughput ×
    Total Host Walltime of trtexec's own summary. TensorRT 8.5 and later drop the warm-up rows: the number is then 0.
    Stays None if the warm-up is unknown, if there are no start times, or if every row would be warm-up.
    """
    starts = query_times.columns.get(start_key(query_times.columns))
    if warm_up_ms is None or not starts:
        return query_times
    rows = 0
    if warm_up_ms > 0:
        rows = next((row for row, start in enumerate(starts) if not start < warm_up_ms), len(starts))
    return query_times if rows == len(starts) else replace(query_times, warm_up_rows=rows)


def _read_chunks(data: bytes, columns: _Columns) -> bool:
    """Reads a list of flat objects piece by piece; False if the bytes are anything else.

    A piece ends at a closing brace. If the objects are not flat or a string contains a brace, the piece is not valid
    JSON, and the result is False.
    """
    opening = _OPENING.match(data)
    if opening is None:
        return False
    position = opening.end()
    view = memoryview(data)
    cut = position
    if data[position : position + 1] == b"{":
        while True:
            cut = data.find(b"}", position + _CHUNK_BYTES) + 1 or data.rfind(b"}", position) + 1
            if cut <= position:
                cut = position
                break
            rows = _parse_piece(b"".join((b"[", view[position:cut], b"]")))
            if rows is None:
                return False
            columns.add(rows)
            separator = _SEPARATOR.match(data, cut)
            if separator is None:
                break
            position = separator.end()
    if _CLOSING.match(data, cut):
        return True
    if not columns.rows or not (cut == position or _TORN.match(data, cut)):
        return False
    columns.note(
        CUT_OFF,
        f"the file is cut off; {counted(columns.rows, 'complete row was', 'complete rows were')} kept",
        "export the times again to get all rows",
        "problem",
    )
    return True


def _parse_piece(piece: bytes) -> Any:
    try:
        return orjson.loads(piece)
    except orjson.JSONDecodeError:
        pass
    piece, replaced = _NOT_A_NUMBER.subn(b": null", piece)
    if not replaced:
        return None
    try:
        return orjson.loads(piece)
    except orjson.JSONDecodeError:
        return None


def _read_whole(data: bytes, columns: _Columns) -> None:
    parsed = parse(data, columns.where)
    columns.notes += parsed.notes
    rows: list[Any] = []
    for document in parsed.documents:
        rows += document if isinstance(document, list) else [document]
    columns.add(rows)


class _Columns:
    """One growing array per key; unusable values become NaN. strange: the number of entries and values left out. size:
    of the file: missing values take more than what is there.
    """

    def __init__(self, where: str, size: int) -> None:
        self.where = where
        self._most = _TIMES * size + _MORE
        self.notes: list[Note] = []
        self.rows = 0
        self.arrays: dict[str, array[float]] = {}
        self.keys: tuple[str, ...] = ()
        self.values_of: Callable[[dict[str, Any]], tuple[Any, ...]] | None = None
        self.strange = 0
        # Columns with impossibly large or negative numbers; all columns, if rows were added one by one.
        self.doubtful: set[str] = set()
        self.is_mixed = False

    def note(self, code: str, message: str, hint: str = "", severity: str = "warning") -> None:
        self.notes.append(Note(code, message, hint, self.where, severity))

    def add(self, rows: Sequence[Any]) -> None:
        """Appends parsed rows: at once if all have the same keys and only numbers, else one by one."""
        if not rows:
            return
        first = rows[0]
        if type(first) is dict and not self.arrays and 1 <= len(first) <= _MAX_COLUMNS:
            self.arrays = {key: array("d") for key in first}
            self.keys = tuple(first)
            # itemgetter of one key returns the value, not a tuple
            self.values_of = itemgetter(*first) if len(first) > 1 else lambda row: (row[self.keys[0]],)
        if not self._add_at_once(rows):
            self._add_one_by_one(rows)
        self.rows = len(next(iter(self.arrays.values()), ()))
        if self.rows * len(self.arrays) * _VALUE_BYTES > self._most:
            message = f"most values of the file's {self.rows:,} rows are missing"
            raise TrexError(message, EXPORT_HINT, self.where)

    def _add_at_once(self, rows: Sequence[Any]) -> bool:
        if self.values_of is None or type(rows[0]) is not dict or bool in set(map(type, rows[0].values())):
            return False
        try:
            if sum(map(len, rows)) != len(self.keys) * len(rows):
                return False
            values = list(zip(*map(self.values_of, rows)))
            additions = [array("d", numbers) for numbers in values]
        except (KeyError, TypeError, OverflowError):
            return False
        for (key, column), addition, numbers in zip(self.arrays.items(), additions, values):
            column.extend(addition)
            # The numbers are still objects here, which is faster than checking the whole column.
            if not -LONGEST_MS <= sum(numbers) <= LONGEST_MS or (key in DURATIONS and min(numbers) < 0.0):
                self.doubtful.add(key)
        return True

    def _add_one_by_one(self, rows: Sequence[Any]) -> None:
        self.is_mixed = True
        length = len(next(iter(self.arrays.values()), ()))
        for row in rows:
            if type(row) is not dict:
                self.strange += 1
                continue
            for key in row:
                if key in self.arrays:
                    continue
                if len(self.arrays) < _MAX_COLUMNS or key in _KNOWN:
                    self.arrays[key] = array("d", [NAN]) * length
                    self.values_of = None
                else:
                    self.strange += 1
            for key, column in self.arrays.items():
                number = written_number(row.get(key))
                column.append(NAN if number is None else number)
            length += 1

    def query_times(self, data: bytes) -> QueryTimes:
        """The columns with numbers; TrexError if none is a known one."""
        columns = {}
        unusable = 0
        for key, column in self.arrays.items():
            lost = _drop_impossible(key, column) if self.is_mixed or key in self.doubtful else 0
            if self.rows and lost == len(column):
                if key in ("computeMs", "latencyMs"):
                    self.note(MISSING_TIMES, f"no query has a usable {key!r}", EXPORT_HINT, "problem")
                else:
                    self.note("timing-unreadable-column", f"{key[:80]!r} has no number in any row and was left out")
                continue
            unusable += lost
            columns[key] = column
        if (self.rows or self.strange) and not _KNOWN & columns.keys():
            raise wrong_kind(data, Kind.TIMING, EXPORT_HINT, self.where)
        if self.strange:
            what = counted(self.strange, "entry", "entries")
            self.note("timing-strange-rows", f"{what} left out: no row, or a key beyond the first {_MAX_COLUMNS}")
        if unusable:
            self.note("timing-unusable-number", f"{counted(unusable, 'value')} missing or not a time: unknown")
        if not self.rows:
            self.note("timing-empty", "the file has no queries", EXPORT_HINT, "info")
        if (ordered := in_order(columns)) is not columns:
            message = "the queries were not in the order in which they began: they are put in order"
            self.note("timing-reordered", message, severity="info")
        return QueryTimes(ordered, None, self.where, tuple(self.notes))


def _drop_impossible(key: str, column: array[float]) -> int:
    """Replaces negative durations and impossible numbers by NaN; returns the number of NaN."""
    lowest = 0.0 if key in DURATIONS else -LONGEST_MS
    lost = [row for row, value in enumerate(column) if not lowest <= value <= LONGEST_MS]
    for row in lost:
        column[row] = NAN
    return len(lost)
