"""LintResult → file: the registry of formats, and what a format is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.registry import Plug, Registry
from trex.export.files import write_file
from trex.rules.finding import Severity
from trex.rules.lint_result import LintResult


@dataclass(frozen=True, slots=True)
class ReviewStyle:
    """top: how many findings people see in full. explain: formulas and the rules' reasons, too.

    show_suppressed: list suppressed findings. fail_on: the least severity that fails. shows_all: show people every
    finding; else similar findings are folded, and long tables are cut.
    """

    top: int = 10
    explain: bool = False
    show_suppressed: bool = False
    fail_on: Severity = Severity.ERROR
    shows_all: bool = False


@dataclass(frozen=True, slots=True)
class ReviewFormat:
    """suffixes: file name endings, the usual one first; none for one that is only printed. render: the text."""

    suffixes: tuple[str, ...]
    render: Callable[[LintResult, ReviewStyle], str]


FORMATS = Registry("trex.export.reviews", "FORMAT")


def write_review(result: LintResult, path: str | Path, style: ReviewStyle | None = None, format: str = "") -> Path:
    """Writes the result, whole or not at all, and returns the path; the format is named or taken from the ending.

    Raises TrexError for an ending that no format has, and for a folder that does not exist.
    """
    plug = FORMATS.chosen(format) if format else format_of(path)
    return write_file(Path(path), plug.value.render(result, style or ReviewStyle()))


def format_of(path: str | Path) -> Plug:
    """The format whose ending the file has, the longest that fits. Raises TrexError listing the endings."""
    name = Path(path).name.lower()
    fitting = [
        (len(suffix), plug) for plug in FORMATS.values() for suffix in plug.value.suffixes if name.endswith(suffix)
    ]
    if fitting:
        return max(fitting, key=lambda item: item[0])[1]
    known = ", ".join(suffix for plug in FORMATS.values() for suffix in plug.value.suffixes)
    raise TrexError(f"no format of findings has the ending of {name!r}", f"--format NAME, or one of {known}", str(path))
