"""Timing caches → Documents: one cache, the differences of two, their union, or a build checked against one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from trex.builder.ties import TIE
from trex.builder.timing_cache_check import CheckedTactic, TacticCheck
from trex.builder.timing_cache_diff import TacticChange, TimingCacheDiff, other_origin, unknown_origin
from trex.builder.timing_cache_merge import MergedTactics
from trex.core.counted import counted
from trex.core.note import Note
from trex.core.timing_cache import MYELIN, TimingCache, TimingCacheEntry, hex_of
from trex.ingest.spelling.runners import runner_name
from trex.views.document import Document, Fact, Section, TableBlock, section
from trex.views.table import Table, TableColumn, byte_size, milliseconds

COMMAND = "cache"
_NO_NAMES: Mapping[str, str] = {}
_KEY = TableColumn("key", "name", readable=12, meaning="the operation, as TensorRT prints it in logs", identifier="key")
_TACTIC = TableColumn(
    "tactic", "name", readable=18, meaning="its id, as in the TacticValue of engines", identifier="tactic"
)
_TIME = TableColumn("time", "ms", "ms", if_known=True, meaning="when the builder timed it", identifier="time_ms")
_ENTRY_COLUMNS = (
    _KEY,
    TableColumn("operation", "name", if_known=True, readable=20, meaning="its name in the log", identifier="operation"),
    TableColumn("kind", if_known=True, meaning="native, or Myelin's", identifier="kind"),
    TableColumn("runner", if_known=True, meaning="what runs a native tactic, by its id", identifier="runner"),
    _TACTIC,
    _TIME,
)
_SHOWN_DIGITS = 8


def cache_document(cache: TimingCache, top: int = 10, names: Mapping[str, str] | None = None) -> Document:
    """The header, entries by runner, and the slowest; all entries as a table. names: {key: operation} of a log."""
    names = names or {}
    header = cache.header
    stated = {
        "layout": (header.layout, header.layout),
        "stream version": (_text(header.stream_version), header.stream_version),
        "device hash": (header.device_hash, header.device_hash),
        "build hash": (header.build_hash, header.build_hash),
        "device": (header.device, header.device),
        "release": (header.release, header.release),
        "Myelin version": (cache.myelin_version, cache.myelin_version),
    }
    facts = [
        Fact(label, text, value, label.lower().replace(" ", "_")) for label, (text, value) in stated.items() if text
    ]
    if cache.compilation_bytes is not None:
        words = byte_size(cache.compilation_bytes) if cache.compilation_bytes else "empty"
        facts.append(Fact("compiled code", words, cache.compilation_bytes, "compilation_bytes"))
    facts.append(Fact("fingerprint", cache.written_fingerprint or "none", None, "fingerprint"))
    entries = tuple(cache.by_key.values())
    by_time = sorted((one for one in entries if one.time_ms is not None), key=lambda entry: -(entry.time_ms or 0.0))
    slowest = Table("Slowest", _ENTRY_COLUMNS, tuple(_row(entry, names) for entry in by_time[:top]), "slowest")
    tables = [runner_table(entries)] if any(entry.kind for entry in entries) else []
    own = section(
        name="cache",
        statements=(_statement(entries), *_named_words(entries, names)),
        facts=facts,
        tables=[table for table in (*tables, slowest) if table.rows],
    )
    block = TableBlock("entries", "", lambda: _entries_table(entries, names), "operations")
    title = PurePath(cache.source).name or "timing cache"
    sections = (own, Section("entries", "Entries", (block,), is_folded=True))
    return Document(COMMAND, title, sections=sections, notes=cache.notes, source=cache)


def _named_words(entries: Sequence[TimingCacheEntry], names: Mapping[str, str]) -> Iterator[str]:
    if names:
        yield f"The log names {sum(entry.key in names for entry in entries):,} of them."


def _statement(entries: Sequence[TimingCacheEntry]) -> str:
    myelin = sum(entry.kind == MYELIN for entry in entries)
    unknown = sum(not entry.kind for entry in entries)
    words = counted(len(entries), "tactic")
    if unknown < len(entries):
        words += f": {len(entries) - myelin - unknown:,} native, {myelin:,} Myelin"
    untimed = sum(entry.time_ms is None for entry in entries)
    if untimed == len(entries):
        return f"{words}. Times unknown."
    left = f"; {counted(untimed, 'time')} unknown" if untimed else ""
    return f"{words}. Times add up to {milliseconds(_total(entries))} ms, each operation once{left}."


def runner_table(entries: Iterable[TimingCacheEntry]) -> Table:
    """One row per runner, the slowest sum first; Myelin's operations are one row."""
    groups: dict[tuple[str, str], list[TimingCacheEntry]] = {}
    for entry in entries:
        number = "" if entry.runner is None else f"0x{entry.runner:08x}"
        name = runner_name(entry.runner) or entry.kind or "unknown"
        groups.setdefault((name, "" if name == number else number), []).append(entry)
    total = _total(entry for group in groups.values() for entry in group)
    rows = [
        (
            name, number or None, len(group), len({entry.tactic for entry in group}),
            _total(group) if is_timed else None, 100.0 * _total(group) / total if total and is_timed else None,
        )
        for (name, number), group in groups.items()
        for is_timed in [any(entry.time_ms is not None for entry in group)]
    ]  # fmt: skip
    rows.sort(key=lambda row: (-(row[4] or 0.0), row[0]))
    columns = (
        TableColumn("runner"),
        TableColumn("id", if_known=True),
        TableColumn("operations", "count"),
        TableColumn("tactics", "count", meaning="different ones"),
        TableColumn("sum", "ms", "ms", identifier="sum_ms"),
        TableColumn("share", "pct", "%", identifier="share_pct"),
    )
    return Table("Runners", columns, tuple(rows), "runners")


def diff_document(diff: TimingCacheDiff, top: int = 20) -> Document:
    """Which operations have another tactic, by how much, and which only one of the two has."""
    changes, common = diff.changes, diff.common
    data = {
        "common": len(common),
        "changed": len(changes),
        "ties": diff.ties,
        "only_base": len(diff.only_base),
        "only_new": len(diff.only_new),
        "time_ratio": diff.time_ratio,
        "base_fingerprint": diff.base.fingerprint(),
        "new_fingerprint": diff.new.fingerprint(),
    }
    only = (("Only in base", "only_base", diff.only_base), ("Only in new", "only_new", diff.only_new))
    tables = [
        *_first_shown(_changes_table(changes), top, "Largest differences"),
        *(
            Table(title, _ENTRY_COLUMNS, tuple(_row(entry) for entry in rows), key, is_folded=True)
            for title, key, rows in only
        ),
    ]
    own = section(
        name="differences",
        statements=tuple(_differences(diff)),
        tables=[table for table in tables if table.rows],
        data=data,
    )
    title = f"{_name(diff.base)} → {_name(diff.new)}"
    return Document(COMMAND, title, sections=(own,), notes=_notes(diff.base, diff.new), source=diff)


def _differences(diff: TimingCacheDiff) -> Iterator[str]:
    if not diff.common:
        yield "No operation is in both: nothing to compare."
        return
    ratio = diff.time_ratio
    times = f" Times of the same tactics: {ratio:.3g}× (median of new / base)." if ratio is not None else ""
    if diff.is_same:
        yield f"Same tactics: {counted(len(diff.common), 'operation')}.{times}"
        return
    ties = f", {counted(diff.ties, 'tie')} (within {TIE * 100:.0f} %)" if diff.changes else ""
    yield f"{counted(len(diff.changes), 'operation')} of {len(diff.common):,} in both changed tactic{ties}.{times}"
    if diff.only_base or diff.only_new:
        yield f"{len(diff.only_base):,} only in base, {len(diff.only_new):,} only in new."


def _first_shown(table: Table, top: int, title: str) -> list[Table]:
    """A long table is folded, after its first rows."""
    if len(table.rows) <= top:
        return [table]
    first = replace(table, title=title, rows=table.rows[:top], key=f"top_{table.key}")
    return [first, replace(table, is_folded=True)]


def _changes_table(changes: Sequence[TacticChange]) -> Table:
    columns = (
        _KEY,
        TableColumn("base tactic", "name", readable=18, identifier="base_tactic"),
        TableColumn("new tactic", "name", readable=18, identifier="new_tactic"),
        TableColumn("base", "ms", "ms", identifier="base_ms"),
        TableColumn("new", "ms", "ms", identifier="new_ms"),
        TableColumn("by", "pct", "%", meaning="difference of the times, of the shorter", identifier="difference_pct"),
        TableColumn("tie", if_known=True, meaning=f"the times differ by {TIE * 100:.0f} % at most", identifier="tie"),
        TableColumn("runner", if_known=True, meaning="of the new tactic, by its id", identifier="runner"),
    )
    rows = [
        (
            change.base.key, hex_of(change.base.tactic), hex_of(change.new.tactic),
            change.base.time_ms, change.new.time_ms,
            None if change.difference is None else 100.0 * change.difference,
            "tie" if change.is_tie else None, _runner(change.new),
        )
        for change in changes
    ]  # fmt: skip
    return Table("Changed", columns, tuple(rows), "changed")


def merged_document(merged: MergedTactics, base: TimingCache, new: TimingCache) -> Document:
    """The union as ``cache_document`` has it, after what was in conflict."""
    document = cache_document(merged.cache)
    statements = [f"{merged.from_base:,} tactics of {_name(base)}, {merged.from_new:,} more of {_name(new)}."]
    if merged.conflicts:
        count = counted(len(merged.conflicts), "conflict")
        statements.append(f"{count}: kept those of {_name(base)}.")
    conflicts = _changes_table(merged.conflicts)
    own = section(name="merge", statements=statements, tables=[conflicts] if conflicts.rows else ())
    title = f"{_name(base)} + {_name(new)}"
    return Document(COMMAND, title, sections=(own, *document.sections), notes=merged.cache.notes, source=merged)


def check_document(check: TacticCheck, build: str, cache: TimingCache, top: int = 20) -> Document:
    """Whether a build used the tactics of a cache, and what cannot be checked."""
    data = {
        "outcome": check.outcome.value,
        "same": check.same,
        "differing": len(check.differing),
        "unknown": len(check.unknown),
        "by_key": check.by_key,
    }
    differing = _checked_table(check.differing, check.by_key)
    tables = [*_first_shown(differing, top, f"First {top} of them"), _unknown_table(check.unknown)]
    own = section(
        name="verify",
        statements=tuple(_check_words(check)),
        tables=[table for table in tables if table.rows],
        data=data,
    )
    title = f"{PurePath(build).name or build} against {_name(cache)}"
    return Document(COMMAND, title, sections=(own,), notes=(*check.notes, *cache.notes), source=check)


def _check_words(check: TacticCheck) -> Iterator[str]:
    differing, unknown = len(check.differing), len(check.unknown)
    known = len(check.checked) - unknown
    if not check.checked:
        yield "Can't check: the build has no tactic to look up. A verbose log has, and an engine built in detail."
        return
    if check.doubt and not differing:
        yield f"Can't tell whether the build used the same tactics: {check.doubt}."
    if not known:
        yield "Can't check."
    elif check.by_key:
        operations = counted(known, "operation")
        if differing:
            yield f"{differing:,} of {operations} used another tactic."
        else:
            yield f"Same tactics: {operations}{' that were read' if check.doubt else ''}."
    else:
        choices = counted(known, "tactic")
        yield (
            f"{differing:,} of {choices} of the build are not in the cache." if differing
            else f"{choices} of the build {'is' if known == 1 else 'are'} in the cache."
        )  # fmt: skip
        yield "Looked up by id, as the build has no keys: a tactic may be in the cache for another operation."
    if unknown:
        reasons = Counter(tactic.reason for tactic in check.unknown)
        yield from (f"Not checked: {count:,} × {reason}." for reason, count in reasons.most_common())


def _checked_table(differing: Sequence[CheckedTactic], by_key: bool) -> Table:
    columns = (
        TableColumn("name", readable=24),
        TableColumn("used", identifier="used_tactic"),
        TableColumn("recorded", if_known=not by_key, identifier="recorded_tactic"),
    )
    rows = [
        (
            tactic.name,
            None if tactic.used is None else hex_of(tactic.used),
            None if tactic.recorded is None else hex_of(tactic.recorded),
        )
        for tactic in differing
    ]
    return Table("Other tactics", columns, tuple(rows), "differing")


def _unknown_table(unknown: Sequence[CheckedTactic]) -> Table:
    columns = (TableColumn("name", readable=24), TableColumn("reason"))
    rows = tuple((tactic.name, tactic.reason) for tactic in unknown)
    return Table("Not checked", columns, rows, "unknown", is_folded=True)


def _entries_table(entries: Sequence[TimingCacheEntry], names: Mapping[str, str]) -> Table:
    rows = tuple(_row(entry, names) for entry in sorted(entries, key=lambda entry: entry.key))
    return Table("", _ENTRY_COLUMNS, rows, "entries")


def _row(entry: TimingCacheEntry, names: Mapping[str, str] = _NO_NAMES) -> tuple[Any, ...]:
    return entry.key, names.get(entry.key), entry.kind or None, _runner(entry), hex_of(entry.tactic), entry.time_ms


def _runner(entry: TimingCacheEntry) -> str | None:
    """The id, as in logs, with its name if it is known."""
    if entry.runner is None:
        return None
    number = f"0x{entry.runner:08x}"
    name = runner_name(entry.runner)
    return number if name == number else f"{name} {number}"


def _total(entries: Iterable[TimingCacheEntry]) -> float:
    return sum(entry.time_ms or 0.0 for entry in entries)


def _name(cache: TimingCache) -> str:
    return PurePath(cache.source).name or "timing cache"


def _text(value: int | None) -> str:
    return "" if value is None else str(value)


def _notes(base: TimingCache, new: TimingCache) -> tuple[Note, ...]:
    """Also that the two are of different machines, where tactics need not agree."""
    notes = [*base.notes, *new.notes]
    if differing := other_origin(base.header, new.header):
        message = f"the two are of another {' and another '.join(differing)}: other tactics are to be expected"
        notes.append(Note("other-origin", message, "", new.source))
    elif unknown := unknown_origin(base.header, new.header):
        message = f"can't tell whether the two are of the same {' and '.join(unknown)}"
        notes.append(Note("unknown-origin", message, "", new.source, "info"))
    return tuple(notes)
