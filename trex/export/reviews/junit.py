"""JUnit: one test case per finding and per rule that found nothing, for the test pages of CI servers.

A finding at or above ``--fail-on`` is a failure, one below it a passed case that says what was found; a rule that
cannot tell is skipped with its reason, a rule that failed is an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.export.escape import xml_text
from trex.export.review import ReviewFormat, ReviewStyle
from trex.views.review.reading import ReviewReading, Told, evidence_text, few
from trex.views.review.tables import unknown_text
from trex.views.table import milliseconds


def render(reading: ReviewReading, style: ReviewStyle) -> str:
    cases = [*_cases(reading, style)]
    counts = {
        "tests": len(cases),
        "failures": sum("<failure" in case for case in cases),
        "errors": sum("<error" in case for case in cases),
        "skipped": sum("<skipped" in case for case in cases),
    }
    numbers = " ".join(f'{name}="{number}"' for name, number in counts.items())
    name = _attribute(f"trex lint {reading.title}")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="trex lint" {numbers}>\n<testsuite name="{name}" {numbers}>\n'
        + "".join(cases)
        + "</testsuite>\n</testsuites>\n"
    )


def _cases(reading: ReviewReading, style: ReviewStyle) -> Iterator[str]:
    spoken = set()
    for told in (*reading.findings, *reading.suppressed):
        spoken.add(told.rule)
        text = _text(told)
        if told.suppressed:
            body = f'<skipped message="{_attribute(f"suppressed: {told.suppressed}")}"/>'
        elif told.severity >= style.fail_on:
            message = _attribute(told.message)
            body = f'<failure type="{told.severity.word}" message="{message}">{xml_text(text)}</failure>'
        else:
            body = f"<system-out>{xml_text(text)}</system-out>"
        where = f"{told.code} {few(told.layers, 1) or told.title}"
        yield _case(told.rule, where, body)
    for rule, code, error in reading.failed:
        spoken.add(rule)
        yield _case(rule, code, f'<error type="rule" message="{_attribute(error)}"/>')
    for unknown in reading.unknown:
        spoken.add(unknown.rule)
        yield _case(unknown.rule, unknown.code, f'<skipped message="{_attribute(unknown_text(unknown))}"/>')
    for rule, code in reading.rules.items():
        if rule not in spoken:
            yield _case(rule, code, "")


def _case(rule: str, name: str, body: str) -> str:
    head = f'<testcase classname="trex.{_attribute(rule)}" name="{_attribute(name)}"'
    return f"{head}>{body}</testcase>\n" if body else f"{head}/>\n"


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


def _attribute(text: str) -> str:
    return xml_text(printable(text))


FORMAT = ReviewFormat((".xml", ".junit.xml"), render)
