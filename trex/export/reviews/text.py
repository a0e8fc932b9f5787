"""Text: what a terminal shows: first what limits the numbers, then the dearest findings, each with its next step."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.export.lettering import cell_width, elided, padded, wrapped
from trex.export.lines import Line, plain
from trex.export.review import ReviewFormat, ReviewStyle
from trex.export.text import note_lines
from trex.export.text_table import table_lines
from trex.rules.finding import Severity
from trex.views.review.alike import alike_text, together
from trex.views.review.reading import GROUPS, ReviewReading, Told, evidence_text
from trex.views.review.tables import failed_text, findings_table, unknown_text
from trex.views.table import milliseconds

FEW = 5
MOST_ROWS = 40
_ROLES = {Severity.NOTE: "info", Severity.WARNING: "warning", Severity.ERROR: "problem"}
_LAYERS = 3
_NAME = 60
_EVIDENCE = 160
_ROOM = 12


def render(reading: ReviewReading, style: ReviewStyle) -> str:
    return plain(review_lines(reading, style))


def review_lines(reading: ReviewReading, style: ReviewStyle, width: int | None = None) -> Iterator[Line]:
    """Sentences, the first findings by cost and in full, the others in a table; at the end what could not be told."""
    title = printable(reading.title)
    yield [(title, "title")]
    yield [("=" * min(cell_width(title), width or 120), "rule")]
    if reading.statement:
        yield from ([(line, "statement")] for line in _wrapped(f"*** {reading.statement} ***", width))
    for statement in reading.statements:
        yield from ([(line, "")] for line in _wrapped(printable(statement), width))
    for failed in reading.failed:
        yield from ([(line, "problem")] for line in _wrapped(printable(failed_text(failed)), width))
    findings = reading.findings if style.shows_all else together(reading.findings)
    full, rest = findings[: style.top], findings[style.top :]
    number = 0
    said: set[tuple[str, str]] = set()
    for group in GROUPS:
        here = [each for each in full if each.group == group]
        if here:
            yield []
            yield [(group, "heading")]
            yield [("-" * cell_width(group), "rule")]
        for told in here:
            number += 1
            yield from _finding_lines(number, told, style.explain, width, said)
    if rest:
        yield []
        heading = f"{sum(1 + len(each.alike) for each in rest):,} more (--top N shows N in full)"
        most = len(rest) if style.shows_all else MOST_ROWS
        yield from table_lines(findings_table(rest[:most], heading, True), width)
        if len(rest) > most:
            yield [(f"and {len(rest) - most:,} more rows: --all shows them, -o findings.csv holds them", "dim")]
    if any(each.alike for each in findings):
        yield []
        yield [("--all shows each of those that are alike by itself", "dim")]
    yield from _rest_lines(reading, style, width)


def _finding_lines(
    number: int, told: Told, explain: bool, width: int | None, said: set[tuple[str, str]]
) -> Iterator[Line]:
    """said: (rule, text) of what earlier findings of the same rule have told, which need not be told again."""
    head: Line = [(f"{number:>2}  {told.code}", "label"), (f"  {told.severity.word}", _ROLES[told.severity])]
    if told.by_itself_ms is not None and told.counted_ms is not None:
        share = "" if told.share_pct is None else f"  {told.share_pct:.1f} %"
        head.append((f"  {milliseconds(told.counted_ms)} ms{share}", "heading"))
        if told.by_itself_ms > told.counted_ms * 1.001 and not told.alike:
            head.append((f"  ({milliseconds(told.by_itself_ms)} ms by itself)", "dim"))
    if told.confidence < 0.995:
        head.append((f"  {told.confidence:.0%} sure", "dim"))
    yield head
    yield from ([("    " + line, "")] for line in _wrapped(printable(told.message), width and width - 4))
    if told.alike:
        text = printable(alike_text(told, _LAYERS))
        yield from ([("    " + line, "label")] for line in _wrapped(text, width and width - 4))
    if told.layers:
        names = [elided(printable(name), _NAME) for name in told.layers[:_LAYERS]]
        more = f" and {len(told.layers) - _LAYERS:,} more" if len(told.layers) > _LAYERS else ""
        yield from _labeled("layers", ", ".join(names) + more, width)
    if told.evidence:
        words = [evidence_text(each) for each in told.evidence]
        text = "; ".join(words if explain else [_short(each) for each in words])
        yield from _labeled("evidence", text, width)
    page = (("at stake", told.formula), ("why", told.why), ("unless", told.does_not_apply)) if explain else ()
    tensors = (("tensors", ", ".join(told.tensors[:FEW])),) if explain else ()
    lines = [
        *(("try", each, "hint") for each in told.advice),
        ("proof", told.proof, ""),
        ("read", "; ".join(told.documentation), "dim"),
        *((label, line, "") for label, text in page for line in text.split("\n")),
    ]
    before = ""
    for label, text, role in lines:
        if text and (told.rule, text) not in said:
            said.add((told.rule, text))
            yield from _labeled("" if label == before else label, text, width, role)
            before = label
    for label, text in tensors:
        if text:
            yield from _labeled(label, text, width)


def _short(text: str) -> str:
    return text if len(text) <= _EVIDENCE else f"{text[: _EVIDENCE - 1]}…"


def _rest_lines(reading: ReviewReading, style: ReviewStyle, width: int | None) -> Iterator[Line]:
    if reading.suppressed and style.show_suppressed:
        yield []
        yield [("Suppressed", "heading")]
        for told in reading.suppressed:
            text = f"{told.code}: {told.message} — {told.suppressed}"
            yield from ([("  " + line, "dim")] for line in _wrapped(printable(text), width and width - 2))
    if reading.unknown:
        yield []
        yield [("Cannot tell", "heading")]
        shown = reading.unknown if style.explain else reading.unknown[:FEW]
        for unknown in shown:
            yield from ([("  " + line, "")] for line in _wrapped(printable(unknown_text(unknown)), width and width - 2))
        if len(shown) < len(reading.unknown):
            yield [(f"  and {len(reading.unknown) - len(shown):,} more: --explain shows all", "dim")]
    if reading.notes:
        yield []
        for note in reading.notes:
            yield from note_lines(note, "", width)
    if reading.findings:
        code = reading.findings[0].code
        yield []
        hint = f"trex explain {code} tells what a rule looks for; --explain shows how prices come about"
        yield from ([(line, "dim")] for line in _wrapped(hint, width))


def _labeled(label: str, text: str, width: int | None, role: str = "") -> Iterator[Line]:
    lead = padded(f"    {label}", _ROOM + 2)
    for line in _wrapped(printable(text), width and max(width - _ROOM - 2, 20)):
        yield [(lead, "label"), (line, role)]
        lead = " " * (_ROOM + 2)


def _wrapped(text: str, width: int | None) -> Iterator[str]:
    return iter((text,)) if width is None else wrapped(text, max(width, 20))


FORMAT = ReviewFormat((".txt",), render)
