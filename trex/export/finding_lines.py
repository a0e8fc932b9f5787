"""Findings → lines of text: what, how much it could save, the fix, and how to check it."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.counted import counted
from trex.core.printable import printable
from trex.export.lettering import cell_width, elided, padded, wrapped
from trex.export.lines import Line
from trex.rules.finding import Severity
from trex.rules.lint_result import RankedFinding
from trex.views.document import Findings
from trex.views.findings import SMALL_PCT, details_of, savings_text, shown_findings

_ROLES = {Severity.NOTE: "info", Severity.WARNING: "warning", Severity.ERROR: "problem"}
_INDENT = 3
_LABEL = 7
_LEAST = 30
_LONGEST_EVIDENCE = 160


def findings_lines(block: Findings, width: int | None) -> Iterator[Line]:
    """The first findings in full, then how many others there are."""
    full, others = shown_findings(block)
    said: set[str] = set()
    for number, finding in enumerate(full, 1):
        if number > 1:
            yield []
        yield from _finding(number, finding, block.explain, width, said)
    if others:
        small = sum(1 for finding in others if finding.share_pct is not None and finding.share_pct < SMALL_PCT)
        rest = len(others) - small
        words = [f"{counted(rest, 'more finding')}"] if rest else []
        words += [f"{small:,} below {SMALL_PCT:g} % of the time"] if small else []
        yield []
        yield [(f"{', '.join(words)}: --all", "dim")]


def _finding(number: int, finding: RankedFinding, explain: bool, width: int | None, said: set[str]) -> Iterator[Line]:
    """The message beside savings and code, then labeled lines. said: texts that an earlier finding of the rule had."""
    right = "  ".join(filter(None, (savings_text(finding), finding.code)))
    lead = padded(f"{number}", _INDENT)
    message = printable(finding.message)
    if width is None:
        yield [(lead, "label"), (message, ""), (f"  {right}", _ROLES[finding.severity])]
    else:
        beside = width - _INDENT - cell_width(right) - 2
        room = beside if beside >= _LEAST else max(width - _INDENT, _LEAST)
        first, *more = wrapped(message, room)
        if beside >= _LEAST:
            yield [(lead, "label"), (padded(first, room), ""), (f"  {right}", _ROLES[finding.severity])]
        else:
            yield [(lead, "label"), (right, _ROLES[finding.severity])]
            more = [first, *more]
        for line in more:
            yield [(" " * _INDENT + line, "")]
    for label, text in details_of(finding, explain):
        key = f"{finding.rule}\n{text}"
        if key not in said:
            said.add(key)
            shown = text if explain or label != "Evidence" else elided(text, _LONGEST_EVIDENCE)
            yield from _labeled(label, shown, width)


def _labeled(label: str, text: str, width: int | None) -> Iterator[Line]:
    lead = " " * _INDENT + padded(label, _LABEL)
    for paragraph in text.split("\n"):
        lines = [printable(paragraph)] if width is None else wrapped(printable(paragraph), max(width - len(lead), 20))
        for line in lines:
            yield [(lead, "label"), (line, "hint" if label == "Fix" else "")]
            lead = " " * len(lead)
