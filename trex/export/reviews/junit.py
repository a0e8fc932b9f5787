"""JUnit: one test case per finding and per rule that found nothing, for the test pages of CI servers.

A finding at or above ``--fail-on`` is a failure, one below it a passed case that says what was found; a rule that
cannot tell is skipped with its reason, a rule that failed is an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.export.escape import xml_text
from trex.export.junit_suite import attribute, case_xml, suite_xml
from trex.export.review import ReviewFormat, ReviewStyle
from trex.views.review.reading import ReviewReading, Told, evidence_text, few
from trex.views.review.tables import unknown_text
from trex.views.table import milliseconds


def render(reading: ReviewReading, style: ReviewStyle) -> str:
    return suite_xml("trex lint", reading.title, _cases(reading, style))


def _cases(reading: ReviewReading, style: ReviewStyle) -> Iterator[str]:
    if reading.statement:
        yield case_xml("data", reading.title, f"<system-out>{xml_text(printable(reading.statement))}</system-out>")
    spoken = set()
    for told in (*reading.findings, *reading.suppressed):
        spoken.add(told.rule)
        text = _text(told)
        if told.suppressed:
            body = f'<skipped message="{attribute(f"suppressed: {told.suppressed}")}"/>'
        elif told.severity >= style.fail_on:
            message = attribute(told.message)
            body = f'<failure type="{told.severity.word}" message="{message}">{xml_text(text)}</failure>'
        else:
            body = f"<system-out>{xml_text(text)}</system-out>"
        where = f"{told.code} {few(told.layers, 1) or told.title}"
        yield case_xml(told.rule, where, body)
    for rule, code, error in reading.failed:
        spoken.add(rule)
        yield case_xml(rule, code, f'<error type="rule" message="{attribute(error)}"/>')
    for unknown in reading.unknown:
        spoken.add(unknown.rule)
        yield case_xml(unknown.rule, unknown.code, f'<skipped message="{attribute(unknown_text(unknown))}"/>')
    for rule, code in reading.rules.items():
        if rule not in spoken:
            yield case_xml(rule, code)


def _text(told: Told) -> str:
    lines = [told.message]
    if told.by_itself_ms is not None:
        lines.append(f"at stake: {milliseconds(told.counted_ms)} ms, by itself {milliseconds(told.by_itself_ms)} ms")
    if told.layers:
        lines.append(f"layers: {few(told.layers, 20)}")
    lines += [evidence_text(each) for each in told.evidence]
    lines += [f"try: {each}" for each in told.advice]
    lines += [f"proof: {told.proof}"] if told.proof else []
    return "\n".join(map(printable, lines))


FORMAT = ReviewFormat((".xml", ".junit.xml"), render)
