"""Comparison → file: the registry of formats, and what a format is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.registry import Plug, Registry
from trex.export.figures.look import Look
from trex.export.files import write_file
from trex.views.comparison.reading import ComparisonReading, read_comparison


@dataclass(frozen=True, slots=True)
class ComparisonStyle:
    """look: how charts are dressed."""

    look: Look = field(default_factory=Look)


@dataclass(frozen=True, slots=True)
class ComparisonFormat:
    """suffixes: file name endings, the usual one first. render: the file's content. is_text: fit for a terminal.

    A format writes whatever sections the reading has; pictures are made of ``reading.comparisons``.
    """

    suffixes: tuple[str, ...]
    render: Callable[[ComparisonReading, ComparisonStyle], str | bytes]
    is_text: bool = True


FORMATS = Registry("trex.export.comparisons", "FORMAT")


def write_comparison(
    reading: ComparisonReading, path: str | Path, style: ComparisonStyle | None = None, format: str = ""
) -> Path:
    """Writes the comparison, whole or not at all, and returns the path; the format is named or taken from the ending.

    Raises TrexError for an ending that no format has, for a folder that does not exist, and for a missing extra.
    """
    plug = FORMATS.chosen(format) if format else format_of(path)
    return write_file(Path(path), plug.value.render(reading, style or ComparisonStyle()))


def pairs_of(reading: ComparisonReading) -> list[ComparisonReading]:
    """Of several engines, each against the base, by the names that the reading gives them; none of two engines."""
    pairs = zip(reading.news, reading.comparisons, strict=True) if reading.news else ()
    return [
        replace(read_comparison(each, reading.detail), title=f"{reading.left} → {name}", left=reading.left, right=name)
        for name, each in pairs
    ]


def format_of(path: str | Path) -> Plug:
    """The format whose ending the file has, the longest that fits. Raises TrexError listing the endings."""
    name = Path(path).name.lower()
    fitting = [
        (len(suffix), plug) for plug in FORMATS.values() for suffix in plug.value.suffixes if name.endswith(suffix)
    ]
    if fitting:
        return max(fitting, key=lambda each: each[0])[1]
    known = ", ".join(suffix for plug in FORMATS.values() for suffix in plug.value.suffixes)
    hint = f"--format NAME, or one of {known}"
    raise TrexError(f"no kind of comparison has the ending of {Path(path).name!r}", hint, str(path))
