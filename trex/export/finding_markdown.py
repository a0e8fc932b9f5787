"""Findings → Markdown: those to look at in full, the others in a folded table."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.views.document import Findings
from trex.views.findings import findings_table, others_text, savings_text, shown_details, shown_findings
from trex.views.table import Table


def findings_markdown(block: Findings) -> Iterator[str | Table]:
    """Lines of Markdown, and tables for the caller to write."""
    full, others = shown_findings(block)
    for number, (finding, details) in enumerate(shown_details(full, block.explain), 1):
        price = savings_text(finding)
        yield f"\n### {number}. {escaped_text(finding.message)}\n"
        yield f"`{finding.code}` · {finding.severity.word}" + (f" · {price}" if price else "")
        yield ""
        for label, text in details:
            lines = text.split("\n")
            yield f"- **{label}:** {escaped_text(lines[0])}"
            yield from (f"  {escaped_text(line)}" for line in lines[1:])
    more = others_text(block, others)
    if others:
        yield f"\n<details><summary>{more}</summary>"
        yield findings_table(others)
        yield "\n</details>"
    elif more:
        yield f"\n… {more}"


_ESCAPES = str.maketrans(
    {**{mark: f"\\{mark}" for mark in "\\|`*_~[]#"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"},
)


def escaped_text(text: str) -> str:
    """The text without anything that Markdown or HTML would take for markup."""
    return printable(text).translate(_ESCAPES)
