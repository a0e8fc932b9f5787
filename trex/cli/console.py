"""Where commands write: rich on a terminal, plain text when piped; text from an engine is never taken as markup."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from trex.core.note import Note
from trex.export.text import elided, note_lines, printable, summary_text, table_text
from trex.views.diagnosis import Diagnosis
from trex.views.summary import Summary
from trex.views.table import Table

_SEVERITY_STYLE = {"problem": "bold red", "warning": "yellow", "info": "dim"}


def is_rich() -> bool:
    """True when standard output is a terminal that has not asked for plain text (NO_COLOR, TERM=dumb)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def say(text: str = "") -> None:
    """One line of plain text."""
    write(f"{printable(text)}\n")


def write(text: str) -> None:
    """Text as it is, in whatever encoding the stream has."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def write_bytes(data: bytes) -> None:
    """Bytes as they are, for ``trex … > file``."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def show_json(value: Any) -> None:
    write(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def show_summary(summary: Summary) -> None:
    if not is_rich():
        write(summary_text(summary))
        return
    from rich.console import Console, Group
    from rich.panel import Panel
    from rich.text import Text

    console = Console(highlight=False)
    lines = Text()
    if summary.statement:
        lines.append(f"{summary.statement}\n", "bold magenta")
    width = max((len(fact.label) for fact in summary.facts), default=0)
    for fact in summary.facts:
        lines.append(f"{fact.label:<{width}}  ", "bold")
        lines.append(printable(fact.text) + "\n")
    lines.rstrip()
    console.print(Panel(Group(lines), title=Text(printable(summary.title), "bold green"), title_align="left"))
    for table in summary.tables:
        show_table(table)
    show_notes(summary.caveats, "Caveats")


def show_table(table: Table) -> None:
    if not is_rich():
        write(table_text(table) + "\n")
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    rich_table = RichTable(
        title=Text(table.title, "bold") if table.title else None, title_justify="left", box=box.SIMPLE_HEAD
    )
    for column in table.columns:
        rich_table.add_column(
            Text(column.name),
            justify="right" if column.is_number else "left",
            no_wrap=column.is_number,
            overflow="fold",
        )
    for row in table.rows:
        rich_table.add_row(*(Text(elided(printable(c.cell(v)), 200)) for c, v in zip(table.columns, row)))
    Console(highlight=False).print(rich_table)


def show_diagnosis(diagnosis: Diagnosis) -> None:
    verdict = "complete" if diagnosis.is_healthy else "not complete"
    layers = "cannot be loaded" if diagnosis.layers is None else f"{diagnosis.layers} layers"
    say(f"{diagnosis.name}: {layers}, {verdict}")
    show_table(diagnosis.files)
    if diagnosis.error:
        say(f"error: {diagnosis.error}")
    for item in diagnosis.missing:
        say(f"missing: {item.part} (without it one cannot see: {item.without_it})")
        say(f"    {item.command}")
    show_notes(diagnosis.notes, "Notes")


def show_notes(notes: tuple[Note, ...], title: str) -> None:
    if not notes:
        return
    if not is_rich():
        write(f"{title}\n" + "".join(f"{line}\n" for note in notes for line in note_lines(note)))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(title, "bold"))
    for note in notes:
        console.print(Text("\n".join(note_lines(note)), _SEVERITY_STYLE[note.severity]))
