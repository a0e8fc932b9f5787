"""Report → file: the registry of report formats, and what a format is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.registry import Plug, Registry
from trex.export.figures.look import Look
from trex.export.files import write_file
from trex.views.report.report import Report


@dataclass(frozen=True, slots=True)
class ReportStyle:
    """look: how charts are dressed."""

    look: Look = field(default_factory=Look)


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """suffixes: file name endings, the usual one first. render: the file's content. is_text: fit for a terminal."""

    suffixes: tuple[str, ...]
    render: Callable[[Report, ReportStyle], bytes]
    is_text: bool = True


FORMATS = Registry("trex.export.reports", "FORMAT")


def write_report(report: Report, path: str | Path, style: ReportStyle | None = None, format: str = "") -> Path:
    """Writes the report, whole or not at all, and returns the path; the format is named or taken from the ending.

    Raises TrexError for an ending that no format has, for a folder that does not exist, and for a missing extra.
    """
    path = Path(path)
    plug = FORMATS.chosen(format) if format else format_of(path)
    return write_file(path, plug.value.render(report, style or ReportStyle()))


def format_of(path: str | Path) -> Plug:
    """The format whose ending the file has, the longest that fits. Raises TrexError listing the endings."""
    name = Path(path).name.lower()
    fitting = [
        (len(suffix), plug) for plug in FORMATS.values() for suffix in plug.value.suffixes if name.endswith(suffix)
    ]
    if fitting:
        return max(fitting, key=lambda each: each[0])[1]
    known = ", ".join(suffix for plug in FORMATS.values() for suffix in plug.value.suffixes)
    raise TrexError(f"no kind of report has the ending of {Path(path).name!r}", f"known endings: {known}", str(path))
