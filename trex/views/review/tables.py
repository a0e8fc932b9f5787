"""LintResult → tables and sentences, for readers that show tables: the report, Markdown, long lists."""

from __future__ import annotations

from collections.abc import Sequence

from trex.core.note import Note
from trex.core.printable import clipped
from trex.rules.lint_result import LintResult, RankedFinding
from trex.rules.similar import fold_similar
from trex.views.performance.section import Content
from trex.views.review.reading import FIRST, evidence_text, failed_text, few, similar_text, statements
from trex.views.table import Table, TableColumn

_SAVINGS = (TableColumn("savings", "ms", "ms", if_known=True), TableColumn("time", "pct", "%", if_known=True))
SHORT = (TableColumn("code"), TableColumn("severity"), *_SAVINGS, TableColumn("finding"))
LONG = (*SHORT, TableColumn("fix"), TableColumn("layers"))
MOST_ROWS = 100
_NAME = 32


def findings_table(findings: Sequence[RankedFinding], title: str = "", is_short: bool = False) -> Table:
    """One row per finding, or per kind of them; is_short: without layers and fix."""
    rows = []
    for finding in findings:
        words = " ".join(filter(None, (finding.message, similar_text(finding))))
        row = (finding.code, finding.severity.word, finding.savings_ms, finding.share_pct, words)
        names = few([clipped(name, _NAME) for name in finding.layer_names], 1)
        rows.append(row if is_short else (*row, finding.fix[0] if finding.fix else "", names))
    return Table(title, SHORT if is_short else LONG, tuple(rows))


def lint_content(result: LintResult, most: int = MOST_ROWS) -> Content:
    """Findings as sections of the report show them; those that limit all others are separate and first."""
    findings = fold_similar(result.findings)
    first = [finding for finding in findings if finding.is_first]
    others = [finding for finding in findings if not finding.is_first]
    tables = []
    if first:
        tables.append(findings_table(first, FIRST))
    if others:
        left_out = f": the first {most} of {len(others):,}" if len(others) > most else ""
        is_folded = any(finding.similar for finding in others)
        similar = "; similar ones are folded, trex lint --all lists each" if is_folded else ""
        tables.append(findings_table(others[:most], f"Findings{left_out}{similar}"))
    if result.unchecked:
        rows = tuple((item.code, item.reason, len(item.layers) or None, item.hint) for item in result.unchecked[:most])
        columns = (
            TableColumn("code"),
            TableColumn("reason"),
            TableColumn("layers", "count"),
            TableColumn("what helps"),
        )
        tables.append(Table("Can't check", columns, rows))
    derivations = tuple(
        (f"{finding.code}: {few(finding.layer_names) or finding.title}", _derivation(finding))
        for finding in findings[:10]
        if finding.formula or finding.evidence
    )
    failed = tuple(Note("rule-failed", failed_text(item), severity="problem") for item in result.failed)
    return Content(statements(result), (), tuple(tables), derivations, (*failed, *result.notes))


def _derivation(finding: RankedFinding) -> str:
    """Formula, evidence and how to check, one per line."""
    lines = [finding.formula] if finding.formula else []
    lines += [evidence_text(item) for item in finding.evidence]
    lines += [f"how to check: {finding.how_to_check}"] if finding.how_to_check else []
    return "\n".join(lines)
