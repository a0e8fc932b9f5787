"""GitHub: annotations of a workflow run (``::warning title=…::…``), which GitHub shows beside the commit.

The form is that of GitHub's documentation "Workflow commands for GitHub Actions"; what ends a line or a property is
percent-encoded there, so that no name of a layer can give a command.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.export.annotation import annotation
from trex.export.review import ReviewFormat, ReviewStyle
from trex.rules.finding import Severity
from trex.views.review.reading import ReviewReading, Told, few
from trex.views.review.tables import failed_text
from trex.views.table import milliseconds

_COMMANDS = {Severity.NOTE: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render(reading: ReviewReading, style: ReviewStyle) -> str:
    return "".join(f"{line}\n" for line in _lines(reading))


def _lines(reading: ReviewReading) -> Iterator[str]:
    if reading.statement:
        yield annotation("notice", reading.title, printable(reading.statement))
    for told in reading.findings:
        title = f"{told.code} {told.title}{_price(told)}"
        yield annotation(_COMMANDS[told.severity], title, _message(told))
    for failed in reading.failed:
        yield annotation("warning", "a rule failed", printable(failed_text(failed)))


def _price(told: Told) -> str:
    if told.by_itself_ms is None:
        return ""
    share = "" if told.share_pct is None else f", {told.share_pct:.1f} %"
    return f" ({milliseconds(told.counted_ms)} ms{share})"


def _message(told: Told) -> str:
    lines = [printable(told.message)]
    if told.layers:
        lines.append(f"layers: {printable(few(told.layers))}")
    lines += [f"try: {printable(each)}" for each in told.advice[:2]]
    return "\n".join(lines)


FORMAT = ReviewFormat((".annotations",), render)
