"""Document → terminal or file: the output options of every command, and what they do."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.cli import console
from trex.core.collector import collector_paused
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.options import count, option
from trex.core.read_files import refuse_read
from trex.core.whole_file import is_stream, write_whole

if TYPE_CHECKING:
    from trex.export.figures.look import Look
    from trex.views.document import Document

STDOUT = "-"
_GROUP = "output"
_TEXT = "text"
_WITHOUT_NOTES = ("csv", "parquet")
"""Formats of rows and columns alone: warnings and problems, and how many rows are left out, go to standard error."""

_ANNOTATIONS = "github"
"""The format whose lines are commands of GitHub."""


def _formats() -> Sequence[str]:
    from trex.export.document import format_names

    return format_names()


@dataclass(frozen=True, kw_only=True)
class DocumentOptions:
    """Where a command's document goes, and in which format."""

    format: str = option(
        "", "output format (default: by the ending of FILE, else text)", flags=("-f",), choices=_formats,
        metavar="FORMAT", group=_GROUP,
    )  # fmt: skip
    output: str = option(
        "",
        "write to FILE, - for standard output; its ending chooses the format",
        flags=("-o",),
        metavar="FILE",
        group=_GROUP,
    )
    json: bool = option(False, "print JSON; trex schema COMMAND describes it", group=_GROUP)
    limit: int = option(-1, "keep the first N rows of every table", metavar="N", convert=count, group=_GROUP)
    fields: str = option("", "keep these parts of the JSON: title,sections.*.facts", metavar="PATHS", group=_GROUP)

    @property
    def is_for_reading(self) -> bool:
        """True for a terminal or a pipe without a format: only what matters most is shown."""
        return not (self.format or self.json or self.file)

    @property
    def file(self) -> str:
        """Empty for standard output."""
        return "" if self.output == STDOUT else self.output

    @property
    def shows_details(self) -> bool:
        return False

    @property
    def shows_all(self) -> bool:
        """True for details and for every format but the one for reading."""
        return self.shows_details or not self.is_for_reading

    @property
    def look(self) -> Look:
        """Of charts."""
        from trex.export.figures.look import FAMILIAR

        return FAMILIAR


@dataclass(frozen=True, kw_only=True)
class OutputOptions(DocumentOptions):
    """The same, and how much of it a terminal shows."""

    verbose: bool = option(False, "show details and notes", flags=("-v",), group=_GROUP)

    @property
    def shows_details(self) -> bool:
        return self.verbose


def check_output(options: DocumentOptions, command: str) -> str:
    """The name of the format, empty for text on a terminal; called before any work.

    Raises TrexError for an unknown ending or format, and for bytes that would go to a terminal.
    """
    if options.is_for_reading:
        return ""
    from trex.export.document import chosen_format, format_of

    if options.format or options.json:
        plug = chosen_format(options.format or "json", command)
        if not options.file and not plug.value.is_text and console.is_terminal(sys.stdout):
            raise TrexError(f"{plug.name} is not text", "add --output FILE, or > FILE")
        return plug.name
    return format_of(options.file, command, _TEXT if is_stream(options.file) else "").name


def json_paths(text: str) -> tuple[str, ...]:
    """The paths that ``--fields`` names."""
    return tuple(path.strip() for path in text.split(",") if path.strip())


def show_document(document: Document, options: DocumentOptions) -> None:
    """Writes the document to the file that was asked for, or shows it."""
    from trex.export.document import RenderStyle, chosen_format, in_parts, prepared, render_document
    from trex.export.documents.text import document_lines

    name = check_output(options, document.command)
    limit = options.limit if options.limit >= 0 else None
    style = RenderStyle(options.look, options.shows_all, limit, json_paths(options.fields), console.width())
    if not options.file and name in ("", _TEXT):
        with console.patience("computing"), collector_paused():
            lines = list(document_lines(prepared(document, style), style))
        console.show(lines)
        return
    what = f"writing {options.file}" if options.file else "computing"
    with console.patience(what), collector_paused(), in_parts(document) as stepped:
        content = render_document(stepped, name, style)
    plug = chosen_format(name, document.command)
    annotates = plug.name == _ANNOTATIONS
    say_written(write_output(options.file, content, is_text=plug.value.is_text, may_annotate=annotates))
    if name in _WITHOUT_NOTES:
        from trex.export.document_table import chosen_table

        console.warn([*document.notes, *(note for part in document.sections for note in part.notes)])
        table = chosen_table(prepared(document, style), style.fields)
        if table.left_out:
            console.complain(f"{counted(table.left_out, 'more row')} left out{f': {table.more}' if table.more else ''}")


def write_output(path: str, content: str | bytes, *, is_text: bool = False, may_annotate: bool = False) -> str:
    """Writes what a command was asked for: the only way from a command to a file that the user names.

    path: a file, written whole or not at all; a device or a pipe, written through without commands to a CI system,
    since it may be the job's log; ``-`` or empty for standard output.
    is_text, may_annotate: as of ``console.write_document``, for bytes.
    Returns the path of a regular file, else an empty text: there is nothing to open. Raises TrexError,
    also for a file that the command has read.
    """
    if path not in ("", STDOUT):
        if not is_stream(path):
            refuse_read(path)
            return str(write_whole(path, content))
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        write_whole(path, console.for_a_log(data, is_text or isinstance(content, str), may_annotate))
        return ""
    if isinstance(content, str):
        console.write(content)
    else:
        console.write_document(content, is_text, may_annotate)
    return ""


def say_written(path: str) -> None:
    """One line for a file that was written; it may get lost, the file is there."""
    if path and sys.stdout is not None:
        console.say(path)
