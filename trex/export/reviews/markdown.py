"""Markdown: the findings by savings, the first in full, for issues, pull requests and job summaries."""

from __future__ import annotations

from collections.abc import Iterator

from trex.export.performance_markdown import content_markdown, escaped, table_markdown
from trex.export.review import ReviewFormat, ReviewStyle
from trex.rules.lint_result import LintResult, RankedFinding
from trex.rules.similar import fold_similar
from trex.views.performance.section import Content
from trex.views.review.reading import (
    GROUPS,
    evidence_text,
    failed_text,
    few,
    group_of,
    similar_text,
    statements,
    unchecked_text,
)
from trex.views.review.tables import findings_table
from trex.views.table import milliseconds

MOST_ROWS = 100


def render(result: LintResult, style: ReviewStyle) -> str:
    return "\n".join(_lines(result, style)) + "\n"


def _lines(result: LintResult, style: ReviewStyle) -> Iterator[str]:
    yield f"# Findings: {escaped(result.engine_name)}"
    if result.statement:
        yield f"\n**{escaped(result.statement)}**"
    yield ""
    yield from (f"{escaped(statement)}  " for statement in statements(result))
    findings = result.findings if style.shows_all else fold_similar(result.findings)
    full = findings[: style.top]
    for group in GROUPS:
        here = [finding for finding in full if group_of(finding) == group]
        if here:
            yield f"\n## {escaped(group)}"
            for finding in here:
                yield from _finding(finding, style.explain)
    rest = findings[style.top :]
    if rest:
        most = len(rest) if style.shows_all else MOST_ROWS
        heading = f"{sum(1 + len(finding.similar) for finding in rest):,} more"
        yield from table_markdown(findings_table(rest[:most], heading).for_people())
    if any(finding.similar for finding in findings):
        yield "\nSimilar findings are folded; `trex lint --all` lists each."
    if style.show_suppressed and result.suppressed:
        yield "\n## Suppressed\n"
        for finding in result.suppressed:
            yield f"- **{finding.code}** {escaped(finding.message)} — {escaped(finding.suppressed)}"
    if result.unchecked:
        yield "\n## Can't check\n"
        yield from (f"- {escaped(unchecked_text(item))}" for item in result.unchecked[:MOST_ROWS])
    if result.failed:
        yield "\n## Rules that failed\n"
        yield from (f"- {escaped(failed_text(item))}" for item in result.failed)
    yield from content_markdown(Content(notes=result.notes))


def _finding(finding: RankedFinding, explain: bool) -> Iterator[str]:
    savings = ""
    if finding.savings_alone_ms is not None:
        share = "" if finding.share_pct is None else f", {finding.share_pct:.1f} %"
        savings = f" · {milliseconds(finding.savings_ms)} ms{share}"
    yield f"\n### {escaped(finding.code)} · {finding.severity.word}{savings}\n"
    yield escaped(finding.message)
    yield ""
    if finding.similar:
        yield escaped(similar_text(finding, 3))
        yield ""
    if finding.layer_names:
        yield f"- layers: {escaped(few(finding.layer_names))}"
    if finding.evidence:
        yield f"- evidence: {escaped('; '.join(map(evidence_text, finding.evidence)))}"
    yield from (f"- fix: {escaped(fix)}" for fix in finding.fix)
    if finding.how_to_check:
        yield f"- check: {escaped(finding.how_to_check)}"
    if finding.documentation:
        yield f"- documentation: {escaped('; '.join(finding.documentation))}"
    if explain:
        if finding.formula:
            yield f"- savings: {escaped(finding.formula)}"
        if finding.why:
            yield f"- why it matters: {escaped(finding.why)}"
        yield f"- confidence: {finding.confidence:.0%}"


FORMAT = ReviewFormat((".md", ".markdown"), render)
