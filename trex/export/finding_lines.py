"""Findings → lines of text: what, how much it could save, the fix, and how to check it."""

from __future__ import annotations

from collections.abc import Iterator

from trex.export.lettering import cell_width, padded, wrapped
from trex.export.lines import Line, labeled
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
            lead = " " * _INDENT + padded(label, _LABEL)
            yield from labeled(lead, text, width, "hint" if label == "Fix" else "")
    if others or block.left_out:
        yield []
        yield [(others_text(block, others) + (": --all" if others else ""), "dim")]


def _head(number: int, finding: RankedFinding, width: int | None) -> Iterator[Line]:
    """The message, with savings and code to the right of it."""
    right = "  ".join(filter(None, (savings_text(finding), finding.code)))
    lead = padded(f"{number}", _INDENT)
    room = None if width is None else width - _INDENT - cell_width(right) - 2
    if room is None or room >= _LEAST:
        first, *more = wrapped(finding.message, room)
        yield [(lead, "label"), (padded(first, room or 0), ""), (f"  {right}", _ROLES[finding.severity])]
    else:
        more = list(wrapped(finding.message, _LEAST))
        yield [(lead, "label"), (right, _ROLES[finding.severity])]
    for line in more:
        yield [(" " * _INDENT + line, "")]
