"""Findings → lines of text: what, how much it could save, the fix, and how to check it."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.export.lettering import cell_width, padded, wrapped
from trex.export.lines import Line
from trex.rules.finding import Severity
from trex.rules.lint_result import RankedFinding
from trex.views.document import Findings
from trex.views.findings import others_text, savings_text, shown_details, shown_findings

_ROLES = {Severity.NOTE: "info", Severity.WARNING: "warning", Severity.ERROR: "problem"}
_INDENT = 3
_LABEL = 7
_LEAST = 30


def findings_lines(block: Findings, width: int | None) -> Iterator[Line]:
    """The first findings in full, then how many others there are."""
    full, others = shown_findings(block)
    for number, (finding, details) in enumerate(shown_details(full, block.explain), 1):
        if number > 1:
            yield []
        yield from _head(number, finding, width)
        for label, text in details:
            yield from _labeled(label, text, width)
    if others or block.left_out:
        yield []
        yield [(others_text(block, others) + (": --all" if others else ""), "dim")]


def _head(number: int, finding: RankedFinding, width: int | None) -> Iterator[Line]:
    """The message, with savings and code to the right of it."""
    right = "  ".join(filter(None, (savings_text(finding), finding.code)))
    lead = padded(f"{number}", _INDENT)
    message = printable(finding.message)
    if width is None:
        yield [(lead, "label"), (message, ""), (f"  {right}", _ROLES[finding.severity])]
        return
    room = width - _INDENT - cell_width(right) - 2
    if room >= _LEAST:
        first, *more = wrapped(message, room)
        yield [(lead, "label"), (padded(first, room), ""), (f"  {right}", _ROLES[finding.severity])]
    else:
        more = list(wrapped(message, max(width - _INDENT, _LEAST)))
        yield [(lead, "label"), (right, _ROLES[finding.severity])]
    for line in more:
        yield [(" " * _INDENT + line, "")]


def _labeled(label: str, text: str, width: int | None) -> Iterator[Line]:
    lead = " " * _INDENT + padded(label, _LABEL)
    for paragraph in text.split("\n"):
        lines = [printable(paragraph)] if width is None else wrapped(printable(paragraph), max(width - len(lead), 20))
        for line in lines:
            yield [(lead, "label"), (line, "hint" if label == "Fix" else "")]
            lead = " " * len(lead)
