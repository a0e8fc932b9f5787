"""Profile JSON → LayerTimes, as written by trtexec, a hand-written profiler or a script."""

from __future__ import annotations

import json
import re
from array import array
from typing import Any

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.timings import LONGEST_MS, MARKS, LayerTime, LayerTimes
from trex.ingest.finding.file_kind import Kind, wrong_kind
from trex.ingest.lenient_json import parse
from trex.ingest.spelling.printable import printable_name
from trex.ingest.spelling.written_number import written_number

EXPORT_HINT = (
    "export a profile with: trtexec --loadEngine=MODEL.engine --separateProfileRun --exportProfile=MODEL.profile.json"
)

_FEWEST_SAMPLES = 4
"""Fewer may be whole milliseconds."""
_FIELDS = {"timeMs": "total", "averageMs": "average", "medianMs": "median", "percentage": "share"}
_KNOWN = frozenset({"name", *_FIELDS})
_ROW = re.compile(r'(\{\s*"name"\s*:\s*")')
_NAME_END = re.compile(r'"\s*,\s*\Z')


def read_profile(data: bytes, where: str = "") -> LayerTimes:
    """The layer profile in the bytes of a JSON file; times in milliseconds.

    Accepted: trtexec's ``--exportProfile`` of TensorRT 8.0 to 11.x (a ``{count}`` record, then records of ``name``,
    ``timeMs``, ``averageMs``, ``medianMs``, ``percentage`` and whatever else), with unescaped names, ``nan`` and torn
    ends; and a dictionary of name → list of milliseconds, one per iteration (average, median and total are computed).

    Raises TrexError if the file is something else.
    """
    notes: list[Note] = []
    document = _document(data, where, notes)
    reader = _ProfileReader(where, notes, data)
    if isinstance(document, list):
        reader.read_list(document)
    elif _is_iterations(document):
        reader.read_iterations(document)
    else:
        raise reader.wrong_kind()
    return reader.times()


def _document(data: bytes, where: str, notes: list[Note]) -> Any:
    parsed = parse(data, where, prepare=lambda text: _with_names_escaped(text, notes, where))
    notes += parsed.notes
    documents = parsed.documents
    if len(documents) > 1:
        if all(isinstance(document, dict) for document in documents):
            return documents
        notes.append(
            Note(
                "profile-second-run",
                f"the file has {len(documents)} JSON documents; the first was read",
                where=where,
            )
        )
    document = documents[0] if documents else []
    if any(note.code == "truncated" for note in parsed.notes):
        rows = [row for row in document if isinstance(row, dict)]
        if len(rows) > 2 and len(rows[-1]) < len(rows[-2]):  # the row in which the file ends
            return rows[:-1]
    return document


def _with_names_escaped(text: str, notes: list[Note], where: str) -> str:
    """The text of a profile that is not JSON, its layer names escaped if trtexec did not escape them.

    If one name cannot be the inside of a JSON string, no name in the file is escaped: backslashes in the others are
    literal, too.
    """
    before, *parts = _ROW.split(text)
    starts, rows = parts[::2], [_name_and_rest(row) for row in parts[1::2]]
    if not any(name and not _is_json(f'"{name}"') and not _is_row(name, rest) for name, rest in rows):
        return text
    message = "layer names in this profile are not escaped (trtexec writes them so); they were read literally"
    notes.append(Note("profile-names-unescaped", message, where=where, severity="info"))
    escaped = (name if "\\" not in name and _is_row(name, rest) else json.dumps(name)[1:-1] for name, rest in rows)
    return before + "".join(start + name + rest for start, name, (_, rest) in zip(starts, escaped, rows))


def _name_and_rest(row: str) -> tuple[str, str]:
    """A row's text after the quote that opens its name, split where the name ends: before the last ``"timeMs"``."""
    head = row.rpartition('"timeMs"')[0]
    end = _NAME_END.search(head)
    return (row[: end.start()], row[end.start() :]) if end else ("", row)


def _is_row(name: str, rest: str) -> bool:
    return _is_json(f'{{"name": "{name}{rest.partition("}")[0]}}}')


def _is_json(text: str) -> bool:
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


class _ProfileReader:
    """Collects records. unusable: {key: (number of values that are no times, first layer)}."""

    def __init__(self, where: str, notes: list[Note], data: bytes) -> None:
        self.where = where
        self.data = data
        self.notes = notes
        self.records: list[LayerTime] = []
        self.count: int | None = None
        self.marks: tuple[str, ...] = ()
        self.seen: dict[str, int] = {}
        self.unusable: dict[str, tuple[int, str]] = {}

    def wrong_kind(self) -> TrexError:
        return wrong_kind(self.data, Kind.PROFILE, EXPORT_HINT, self.where)

    def times(self) -> LayerTimes:
        for key, (count, layer) in self.unusable.items():
            what = counted(count, f"value of {key}", f"values of {key}")
            self._note("profile-unusable-number", f"{what} missing or not usable, first at layer {layer!r}: unknown")
        if not self.records:
            self._note("profile-empty", "the profile has no layer records", EXPORT_HINT)
        return LayerTimes(tuple(self.records), self.count, self.where, tuple(self.notes), self.marks)

    def _note(self, code: str, message: str, hint: str = "", severity: str = "warning") -> None:
        self.notes.append(Note(code, message, hint, self.where, severity))

    def read_list(self, items: list[Any]) -> None:
        """trtexec's list of records."""
        rows = [item for item in items if type(item) is dict]
        layers = [row for row in rows if "name" in row]
        counts = [row["count"] for row in rows if "count" in row and "name" not in row]
        self.marks = tuple(mark for mark in MARKS if any(row.get(mark) for row in rows if "name" not in row))
        if items and not layers and not counts:
            raise self.wrong_kind()
        if counts:
            self._read_count(counts[0], 1 if layers else 0)
        strange = len(items) - len(layers) - len(counts)
        if strange:
            self._note(
                "profile-strange-records",
                f"{strange} of {counted(len(items), 'entry', 'entries')} of the profile left out: no layer name",
            )
        self._read_records(layers)

    def _read_count(self, value: Any, least: int) -> None:
        number = written_number(value)
        if number is None or number < least or number != int(number):
            self._note("profile-unusable-count", "the number of iterations is not a whole number of 1 or more")
        else:
            self.count = int(number)

    def _read_records(self, rows: list[dict[str, Any]]) -> None:
        seen, records, milliseconds = self.seen, self.records, self._milliseconds
        without_median = derived = 0
        for row in rows:
            written = row["name"]
            name = printable_name(written) if type(written) is str else ""
            if type(written) is not str:
                self._doubt("name", name)
            get = row.get
            total = get("timeMs")
            if type(total) is not float or not 0.0 <= total <= LONGEST_MS:
                total = milliseconds("timeMs", total, name)
            average = get("averageMs")
            if type(average) is not float or not 0.0 <= average <= LONGEST_MS:
                if "averageMs" not in row and total is not None and self.count:
                    average = total / self.count
                    derived += 1
                else:
                    average = milliseconds("averageMs", average, name)
            median = get("medianMs")
            if median is None and "medianMs" not in row:
                without_median += 1
            elif type(median) is not float or not 0.0 <= median <= LONGEST_MS:
                median = milliseconds("medianMs", median, name)
            share = get("percentage")
            if type(share) is not float or not 0.0 <= share <= LONGEST_MS:
                share = milliseconds("percentage", share, name) if "percentage" in row else None
            occurrence = seen.get(name, 0)
            seen[name] = occurrence + 1
            if len(row) == 5 and row.keys() == _KNOWN:
                records.append(LayerTime(name, occurrence, total, average, median, share))
            else:
                extra = {key: value for key, value in row.items() if key not in _KNOWN}
                records.append(LayerTime(name, occurrence, total, average, median, share, (), extra))
        if without_median:
            self._note(
                "profile-no-median",
                f"no medianMs in {without_median} of {counted(len(rows), 'record')} (trtexec before 8.4 did not "
                "write it)",
                severity="info",
            )
        if derived:
            self._note(
                "profile-average-derived",
                f"no averageMs in {counted(derived, 'record')}; it was computed as timeMs / {self.count}",
                severity="info",
            )

    def read_iterations(self, samples_of: dict[Any, list[Any]]) -> None:
        """name → milliseconds of every iteration."""
        lengths = {len(values) for values in samples_of.values()}
        if len(lengths) == 1:
            self.count = lengths.pop()
        elif lengths:
            self._note(
                "profile-uneven-iterations",
                f"layers have between {min(lengths)} and {max(lengths)} samples: some did not run in every iteration",
            )
        is_whole = all(type(sample) is int for values in samples_of.values() for sample in values)
        if is_whole and sum(map(len, samples_of.values())) >= _FEWEST_SAMPLES:
            message = "all times are whole numbers: they may be in another unit than ms, or have decimal commas"
            self._note("profile-whole-numbers", message)
        for written, values in samples_of.items():
            name = printable_name(written)
            samples = self._samples(values, name)
            occurrence = self.seen.get(name, 0)
            self.seen[name] = occurrence + 1
            if not samples:
                self.records.append(LayerTime(name, occurrence, None, None, None, None))
                continue
            total = sum(samples)
            ordered = sorted(samples)
            middle = len(ordered) // 2
            median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
            record = LayerTime(name, occurrence, total, total / len(samples), median, None, tuple(samples))
            self.records.append(record)

    def _samples(self, values: list[Any], name: str) -> list[float]:
        if not values:
            self._doubt("samples", name)
            return []
        if bool not in set(map(type, values)):
            try:
                samples = array("d", values)
            except (TypeError, OverflowError):
                pass
            else:
                if min(samples) >= 0.0 and sum(samples) <= LONGEST_MS:
                    return samples.tolist()
        return [ms for value in values if (ms := self._milliseconds("samples", value, name)) is not None]

    def _milliseconds(self, key: str, value: Any, name: str) -> float | None:
        """The value as a number that is not negative; otherwise None, and it is counted."""
        number = written_number(value)
        if number is not None and 0 <= number <= LONGEST_MS:
            return number
        self._doubt(key, name)
        return None

    def _doubt(self, key: str, layer: str) -> None:
        count, first = self.unusable.get(key, (0, layer))
        self.unusable[key] = (count + 1, first)


def _is_iterations(document: Any) -> bool:
    """True for name → list of numbers, if at least one list is not empty."""
    if not isinstance(document, dict) or "Layers" in document or "latencyMs" in document:
        return False
    firsts = [values[0] for values in document.values() if isinstance(values, list) and values]
    is_lists = all(isinstance(values, list) for values in document.values())
    return is_lists and any(written_number(first) is not None for first in firsts)
