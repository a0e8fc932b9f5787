"""Text: what a terminal shows: findings that limit all others, then the largest savings, each with a fix."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.export.lettering import cell_width, elided, padded, wrapped
from trex.export.lines import Line, plain
from trex.export.review import ReviewFormat, ReviewStyle
from trex.export.text import note_lines
from trex.export.text_table import table_lines
from trex.rules.finding import Severity
from trex.rules.lint_result import LintResult, RankedFinding
from trex.rules.similar import fold_similar
from trex.views.review.reading import (
    GROUPS,
    evidence_text,
    failed_text,
    group_of,
    similar_text,
    statements,
    unchecked_text,
)
from trex.views.review.tables import findings_table
from trex.views.table import milliseconds

FEW = 5
MOST_ROWS = 40
_ROLES = {Severity.NOTE: "info", Severity.WARNING: "warning", Severity.ERROR: "problem"}
_LAYERS = 3
_NAME = 60
_EVIDENCE = 160
_ROOM = 12


def render(result: LintResult, style: ReviewStyle) -> str:
    return plain(review_lines(result, style))


def review_lines(result: LintResult, style: ReviewStyle, width: int | None = None) -> Iterator[Line]:
    """Sentences, the first findings in full, the others in a table; at the end what can't be checked."""
    title = printable(result.engine_name)
    yield [(title, "title")]
    yield [("=" * min(cell_width(title), width or 120), "rule")]
    if result.statement:
        yield from ([(line, "statement")] for line in _wrapped(f"*** {result.statement} ***", width))
    for statement in statements(result):
        yield from ([(line, "")] for line in _wrapped(printable(statement), width))
    for failed in result.failed:
        yield from ([(line, "problem")] for line in _wrapped(printable(failed_text(failed)), width))
    findings = result.findings if style.shows_all else fold_similar(result.findings)
    full, rest = findings[: style.top], findings[style.top :]
    number = 0
    shown_texts: set[tuple[str, str]] = set()
    for group in GROUPS:
        here = [finding for finding in full if group_of(finding) == group]
        if here:
            yield []
            yield [(group, "heading")]
            yield [("-" * cell_width(group), "rule")]
        for finding in here:
            number += 1
            yield from _finding_lines(number, finding, style.explain, width, shown_texts)
    if rest:
        yield []
        heading = f"{sum(1 + len(finding.similar) for finding in rest):,} more (--top N shows N in full)"
        most = len(rest) if style.shows_all else MOST_ROWS
        yield from table_lines(findings_table(rest[:most], heading, True), width)
        if len(rest) > most:
            yield [(f"and {len(rest) - most:,} more rows: --all shows them, -o findings.csv holds them", "dim")]
    if any(finding.similar for finding in findings):
        yield []
        yield [("--all lists each of the similar findings", "dim")]
    yield from _rest_lines(result, style, width)


def _finding_lines(
    number: int, finding: RankedFinding, explain: bool, width: int | None, shown_texts: set[tuple[str, str]]
) -> Iterator[Line]:
    """shown_texts: (rule, text) of earlier findings of the same rule, not to be repeated."""
    head: Line = [(f"{number:>2}  {finding.code}", "label"), (f"  {finding.severity.word}", _ROLES[finding.severity])]
    if finding.savings_alone_ms is not None and finding.savings_ms is not None:
        share = "" if finding.share_pct is None else f"  {finding.share_pct:.1f} %"
        head.append((f"  {milliseconds(finding.savings_ms)} ms{share}", "heading"))
        if finding.savings_alone_ms > finding.savings_ms * 1.001 and not finding.similar:
            head.append((f"  ({milliseconds(finding.savings_alone_ms)} ms alone)", "dim"))
    if finding.confidence < 0.995:
        head.append((f"  confidence {finding.confidence:.0%}", "dim"))
    yield head
    yield from ([("    " + line, "")] for line in _wrapped(printable(finding.message), width and width - 4))
    if finding.similar:
        text = printable(similar_text(finding, _LAYERS))
        yield from ([("    " + line, "label")] for line in _wrapped(text, width and width - 4))
    if finding.layer_names:
        names = [elided(printable(name), _NAME) for name in finding.layer_names[:_LAYERS]]
        more = f" and {len(finding.layer_names) - _LAYERS:,} more" if len(finding.layer_names) > _LAYERS else ""
        yield from _labeled("layers", ", ".join(names) + more, width)
    if finding.evidence:
        words = [evidence_text(item) for item in finding.evidence]
        text = "; ".join(words if explain else [_short(word) for word in words])
        yield from _labeled("evidence", text, width)
    page = (("savings", finding.formula), ("why", finding.why), ("unless", finding.does_not_apply)) if explain else ()
    tensors = (("tensors", ", ".join(finding.tensors[:FEW])),) if explain else ()
    lines = [
        *(("fix", fix, "hint") for fix in finding.fix),
        ("check", finding.how_to_check, ""),
        ("read", "; ".join(finding.documentation), "dim"),
        *((label, line, "") for label, text in page for line in text.split("\n")),
    ]
    before = ""
    for label, text, role in lines:
        if text and (finding.rule, text) not in shown_texts:
            shown_texts.add((finding.rule, text))
            yield from _labeled("" if label == before else label, text, width, role)
            before = label
    for label, text in tensors:
        if text:
            yield from _labeled(label, text, width)


def _short(text: str) -> str:
    return text if len(text) <= _EVIDENCE else f"{text[: _EVIDENCE - 1]}…"


def _rest_lines(result: LintResult, style: ReviewStyle, width: int | None) -> Iterator[Line]:
    if result.suppressed and style.show_suppressed:
        yield []
        yield [("Suppressed", "heading")]
        for finding in result.suppressed:
            text = f"{finding.code}: {finding.message} — {finding.suppressed}"
            yield from ([("  " + line, "dim")] for line in _wrapped(printable(text), width and width - 2))
    if result.unchecked:
        yield []
        yield [("Can't check", "heading")]
        shown = result.unchecked if style.explain else result.unchecked[:FEW]
        for unknown in shown:
            yield from (
                [("  " + line, "")] for line in _wrapped(printable(unchecked_text(unknown)), width and width - 2)
            )
        if len(shown) < len(result.unchecked):
            yield [(f"  and {len(result.unchecked) - len(shown):,} more: --explain shows all", "dim")]
    if result.notes:
        yield []
        for note in result.notes:
            yield from note_lines(note, "", width)
    if result.findings:
        code = result.findings[0].code
        yield []
        hint = f"trex explain {code} describes a rule; --explain shows how savings are computed"
        yield from ([(line, "dim")] for line in _wrapped(hint, width))


def _labeled(label: str, text: str, width: int | None, role: str = "") -> Iterator[Line]:
    lead = padded(f"    {label}", _ROOM + 2)
    for line in _wrapped(printable(text), width and max(width - _ROOM - 2, 20)):
        yield [(lead, "label"), (line, role)]
        lead = " " * (_ROOM + 2)


def _wrapped(text: str, width: int | None) -> Iterator[str]:
    return iter((text,)) if width is None else wrapped(text, max(width, 20))


FORMAT = ReviewFormat((".txt",), render)
