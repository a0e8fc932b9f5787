"""Device → lines of text: its figures and peaks, and below them every source in full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trex.core.printable import printable
from trex.export.lettering import wrapped
from trex.export.lines import Line
from trex.export.text_table import table_lines
from trex.perf.device import Device
from trex.views.devices import figures_table, peaks_table
from trex.views.table import Table, TableColumn


def device_lines(device: Device, width: int | None = None) -> Iterator[Line]:
    """Figures and peaks with a number for their source, then the sources by number, none of them cut."""
    sources: dict[str, int] = {}
    yield [(printable(device.name), "title")]
    for name in device.aliases:
        yield [(f"also called {printable(name)}", "dim")]
    if device.power_note:
        yield from _hanging("", device.power_note, width)
    for table in (figures_table(device), peaks_table(device)):
        if table.rows:
            yield []
            yield from table_lines(_numbered(table, sources), width)
    if sources:
        yield []
        yield [("Sources", "heading")]
    for source, number in sources.items():
        yield from _hanging(f"[{number}] ", source, width)


def _numbered(table: Table, sources: dict[str, int]) -> Table:
    """The table with the number of its source in each row, numbers given in order of first use."""
    place = [column.name for column in table.columns].index("source")
    rows = []
    for row in table.rows:
        source = row[place]
        told = f"[{sources.setdefault(source, len(sources) + 1)}]" if source else None
        rows.append((*row[:place], told, *row[place + 1 :]))
    columns = (*table.columns[:place], TableColumn("source"), *table.columns[place + 1 :])
    return replace(table, columns=columns, rows=tuple(rows))


def _hanging(label: str, text: str, width: int | None) -> Iterator[Line]:
    text = printable(text)
    for line in [text] if width is None else wrapped(text, max(width - len(label), 20)):
        yield [(label, "label"), (line, "")]
        label = " " * len(label)
