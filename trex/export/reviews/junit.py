"""JUnit: one test case per finding and per rule that found nothing, for the test pages of CI servers.

A finding at or above ``--fail-on`` is a failure, one below it a passed case with its message; a rule that can't check
the engine is skipped with its reason, a rule that failed is an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.export.escape import xml_text
from trex.export.junit_suite import attribute, case_xml, suite_xml
from trex.export.review import ReviewFormat, ReviewStyle
from trex.rules.lint_result import LintResult, RankedFinding
from trex.views.review.reading import evidence_text, few, unchecked_text
from trex.views.table import milliseconds


def render(result: LintResult, style: ReviewStyle) -> str:
    return suite_xml("trex lint", result.engine_name, _cases(result, style))


def _cases(result: LintResult, style: ReviewStyle) -> Iterator[str]:
    if result.statement:
        yield case_xml("data", result.engine_name, f"<system-out>{xml_text(printable(result.statement))}</system-out>")
    reported = set()
    for finding in (*result.findings, *result.suppressed):
        reported.add(finding.rule)
        text = _text(finding)
        if finding.suppressed:
            body = f'<skipped message="{attribute(f"suppressed: {finding.suppressed}")}"/>'
        elif finding.severity >= style.fail_on:
            message = attribute(finding.message)
            body = f'<failure type="{finding.severity.word}" message="{message}">{xml_text(text)}</failure>'
        else:
            body = f"<system-out>{xml_text(text)}</system-out>"
        where = f"{finding.code} {few(finding.layer_names, 1) or finding.title}"
        yield case_xml(finding.rule, where, body)
    for failed in result.failed:
        reported.add(failed.rule)
        yield case_xml(failed.rule, failed.code, f'<error type="rule" message="{attribute(failed.error)}"/>')
    for unknown in result.unchecked:
        reported.add(unknown.rule)
        yield case_xml(unknown.rule, unknown.code, f'<skipped message="{attribute(unchecked_text(unknown))}"/>')
    for rule, code in result.rules.items():
        if rule not in reported:
            yield case_xml(rule, code)


def _text(finding: RankedFinding) -> str:
    lines = [finding.message]
    if finding.savings_alone_ms is not None:
        lines.append(
            f"savings: {milliseconds(finding.savings_ms)} ms, alone {milliseconds(finding.savings_alone_ms)} ms"
        )
    if finding.layer_names:
        lines.append(f"layers: {few(finding.layer_names, 20)}")
    lines += [evidence_text(item) for item in finding.evidence]
    lines += [f"fix: {fix}" for fix in finding.fix]
    lines += [f"check: {finding.how_to_check}"] if finding.how_to_check else []
    return "\n".join(map(printable, lines))


FORMAT = ReviewFormat((".xml", ".junit.xml"), render)
