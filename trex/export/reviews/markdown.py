"""Markdown: the findings by cost, the dearest in full, for issues, pull requests and job summaries."""

from __future__ import annotations

from collections.abc import Iterator

from trex.export.performance_markdown import content_markdown, escaped, table_markdown
from trex.export.review import ReviewFormat, ReviewStyle
from trex.views.performance.section import Content
from trex.views.review.alike import alike_text, together
from trex.views.review.reading import GROUPS, ReviewReading, Told, evidence_text, few
from trex.views.review.tables import failed_text, findings_table, unknown_text
from trex.views.table import milliseconds

MOST_ROWS = 100


def render(reading: ReviewReading, style: ReviewStyle) -> str:
    return "\n".join(_lines(reading, style)) + "\n"


def _lines(reading: ReviewReading, style: ReviewStyle) -> Iterator[str]:
    yield f"# Findings: {escaped(reading.title)}"
    if reading.statement:
        yield f"\n**{escaped(reading.statement)}**"
    yield ""
    yield from (f"{escaped(statement)}  " for statement in reading.statements)
    findings = reading.findings if style.shows_all else together(reading.findings)
    full = findings[: style.top]
    for group in GROUPS:
        here = [each for each in full if each.group == group]
        if here:
            yield f"\n## {escaped(group)}"
            for told in here:
                yield from _finding(told, style.explain)
    rest = findings[style.top :]
    if rest:
        most = len(rest) if style.shows_all else MOST_ROWS
        heading = f"{sum(1 + len(each.alike) for each in rest):,} more"
        yield from table_markdown(findings_table(rest[:most], heading).for_people())
    if any(each.alike for each in findings):
        yield "\nAlike findings are told as one; `trex lint --all` tells each."
    if style.show_suppressed and reading.suppressed:
        yield "\n## Suppressed\n"
        for told in reading.suppressed:
            yield f"- **{told.code}** {escaped(told.message)} — {escaped(told.suppressed)}"
    if reading.unknown:
        yield "\n## Cannot tell\n"
        yield from (f"- {escaped(unknown_text(each))}" for each in reading.unknown[:MOST_ROWS])
    if reading.failed:
        yield "\n## Rules that failed\n"
        yield from (f"- {escaped(failed_text(each))}" for each in reading.failed)
    yield from content_markdown(Content(notes=reading.notes))


def _finding(told: Told, explain: bool) -> Iterator[str]:
    price = ""
    if told.by_itself_ms is not None:
        share = "" if told.share_pct is None else f", {told.share_pct:.1f} %"
        price = f" · {milliseconds(told.counted_ms)} ms{share}"
    yield f"\n### {escaped(told.code)} · {told.severity.word}{price}\n"
    yield escaped(told.message)
    yield ""
    if told.alike:
        yield escaped(alike_text(told, 3))
        yield ""
    if told.layers:
        yield f"- layers: {escaped(few(told.layers))}"
    if told.evidence:
        yield f"- evidence: {escaped('; '.join(map(evidence_text, told.evidence)))}"
    yield from (f"- try: {escaped(each)}" for each in told.advice)
    if told.proof:
        yield f"- proof: {escaped(told.proof)}"
    if told.documentation:
        yield f"- documentation: {escaped('; '.join(told.documentation))}"
    if explain:
        if told.formula:
            yield f"- at stake: {escaped(told.formula)}"
        if told.why:
            yield f"- why it matters: {escaped(told.why)}"
        yield f"- confidence: {told.confidence:.0%}"


FORMAT = ReviewFormat((".md", ".markdown"), render)
