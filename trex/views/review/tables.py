"""ReviewReading → tables and sentences, for readers that show tables: the report, Markdown, long lists."""

from __future__ import annotations

from collections.abc import Sequence

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.printable import clipped
from trex.views.performance.section import Content
from trex.views.review.alike import alike_text, together
from trex.views.review.reading import FIRST, ReviewReading, Told, Unknown, evidence_text, few
from trex.views.table import Table, TableColumn

_PRICE = (TableColumn("counted", "ms", "ms", if_known=True), TableColumn("time", "pct", "%", if_known=True))
SHORT = (TableColumn("code"), TableColumn("severity"), *_PRICE, TableColumn("finding"))
LONG = (*SHORT, TableColumn("what to try"), TableColumn("layers"))
MOST_ROWS = 100
_NAME = 32


def findings_table(findings: Sequence[Told], title: str = "", is_short: bool = False) -> Table:
    """One row per finding, or per kind of them; is_short: without layers and what to try."""
    rows = []
    for each in findings:
        words = " ".join(filter(None, (each.message, alike_text(each))))
        row = (each.code, each.severity.word, each.counted_ms, each.share_pct, words)
        names = few([clipped(name, _NAME) for name in each.layers], 1)
        rows.append(row if is_short else (*row, each.advice[0] if each.advice else "", names))
    return Table(title, SHORT if is_short else LONG, tuple(rows))


def unknown_text(unknown: Unknown) -> str:
    """What a rule cannot tell, in one line."""
    of = f" ({counted(unknown.layers, 'layer')})" if unknown.layers else ""
    hint = f"; {unknown.hint}" if unknown.hint else ""
    return f"{unknown.code}: {unknown.reason}{of}{hint}"


def failed_text(failed: tuple[str, str, str]) -> str:
    rule, code, error = failed
    return f"the rule {rule} ({code}) failed: {error}"


def review_content(reading: ReviewReading, most: int = MOST_ROWS) -> Content:
    """Findings as sections of the report show them; what limits the measurement stands apart and first."""
    findings = together(reading.findings)
    first = [each for each in findings if each.is_first]
    others = [each for each in findings if not each.is_first]
    tables = []
    if first:
        tables.append(findings_table(first, FIRST))
    if others:
        left_out = f": the first {most} of {len(others):,}" if len(others) > most else ""
        alike = "; alike ones together, trex lint --all lists each" if any(each.alike for each in others) else ""
        tables.append(findings_table(others[:most], f"Findings{left_out}{alike}"))
    if reading.unknown:
        rows = tuple((each.code, each.reason, each.layers or None, each.hint) for each in reading.unknown[:most])
        columns = (
            TableColumn("code"),
            TableColumn("reason"),
            TableColumn("layers", "count"),
            TableColumn("what helps"),
        )
        tables.append(Table("Cannot tell", columns, rows))
    derivations = tuple(
        (f"{each.code}: {few(each.layers) or each.title}", _derivation(each))
        for each in findings[:10]
        if each.formula or each.evidence
    )
    failed = tuple(Note("rule-failed", failed_text(each), severity="problem") for each in reading.failed)
    return Content(reading.statements, (), tuple(tables), derivations, (*failed, *reading.notes))


def _derivation(told: Told) -> str:
    """Formula, evidence and proof, a line each."""
    lines = [told.formula] if told.formula else []
    lines += [evidence_text(each) for each in told.evidence]
    lines += [f"what would prove it: {told.proof}"] if told.proof else []
    return "\n".join(lines)
