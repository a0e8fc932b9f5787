"""Entries → Document: the engines of a folder as a table, with GPU compute where reading it is cheap."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.server.entry import CONTRADICTED, MEASURED, NOT_READ, TOO_LARGE, UNREADABLE, Entry, Headline
from trex.views.document import Document, Section, Text
from trex.views.table import UNKNOWN_TEXT, Table, TableColumn

MOST_READ = 40
LARGEST_READ = 4_000_000
"""Engines, and bytes of one, that are read for the list alone, each time it is made."""
MOST_RUNS, MOST_FOLDERS = 1000, 2000
"""That are listed: runs of one store, and folders with engines."""
_COLUMNS = (
    TableColumn("engine", "name"),
    TableColumn("folder", "name"),
    TableColumn("GPU compute", "ms", "ms", identifier="gpu_compute_ms", meaning="median of one inference"),
    TableColumn("from", "ms", "ms", if_known=True, identifier="from_ms", meaning="lower end of a prediction"),
    TableColumn("to", "ms", "ms", if_known=True, identifier="to_ms", meaning="upper end of a prediction"),
    TableColumn("times", meaning="measured, or how they were predicted, or why there are none"),
    TableColumn("files", meaning="what they contain"),
    TableColumn("changed", meaning="time of the newest file, in UTC"),
    TableColumn("key", meaning="names the engine in addresses"),
)


def headline_of(entry: Entry) -> Headline:
    """Raises nothing: an engine that cannot be read says so when it is opened."""
    from trex.perf.expected import expected_ms
    from trex.perf.latencies import GPU_COMPUTE, latencies_of
    from trex.perf.performance import Performance

    if entry.headline is not None:
        return entry.headline
    if entry.size > LARGEST_READ:
        return Headline(origin=TOO_LARGE)
    try:
        plan = entry.load()
    except TrexError:
        return Headline(origin=UNREADABLE)
    compute = latencies_of(plan).get(GPU_COMPUTE)
    if compute is None and not plan.is_profiled:
        return Headline(origin="no times")
    if Performance(plan).contradicted:
        return Headline(origin=CONTRADICTED)
    if compute is None:
        return Headline(origin=plan.provenance.label or "layer times only")
    return Headline(compute.median_ms, expected_ms(plan), plan.provenance.label or MEASURED)


def listing_document(root: str, entries: Mapping[str, Entry], headlines: Mapping[str, Headline]) -> Document:
    rows = tuple(_row(entry, headlines.get(entry.key, Headline())) for entry in entries.values())
    words = count_of(entries, headlines)
    table = Table("", _COLUMNS, rows, "engines")
    return Document("serve", root, sections=(Section("engines", "", (Text((words,)), table)),))


def count_of(entries: Mapping[str, Entry], headlines: Mapping[str, Headline]) -> str:
    """How many there are, the limits if there may be more, and of how many the times were not read."""
    unread = sum(headline.origin == NOT_READ for headline in headlines.values())
    times = f"; times of {unread:,} are not read yet: a reload reads {MOST_READ} more" if unread else ""
    limits = f" (at most {MOST_RUNS:,} runs of a store and {MOST_FOLDERS:,} folders are listed)"
    return counted(len(entries), "engine") + (limits if len(entries) >= MOST_RUNS else "") + times


def _row(entry: Entry, headline: Headline) -> tuple[object, ...]:
    low, high = headline.bounds_ms or (None, None)
    parts = ", ".join(entry.parts)
    return entry.name, entry.folder, headline.compute_ms, low, high, headline.origin, parts, changed(entry), entry.key


def changed(entry: Entry) -> str:
    if entry.changed is None:
        return UNKNOWN_TEXT
    try:
        return f"{datetime.fromtimestamp(entry.changed, timezone.utc):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):  # no year of a calendar: archives may contain any number
        return UNKNOWN_TEXT
