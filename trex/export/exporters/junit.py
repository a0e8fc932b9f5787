"""JUnit for the test pages of CI servers: one test case per finding and sound rule, or per result of the gate.

A finding at or above ``--fail-on`` is a failure, one below it a passed case with its message; a rule that can't check
the engine is skipped with its reason, a rule that failed is an error. A condition of the gate that failed is a failure,
an inconclusive one an error; without conditions the only case is the verdict, which can't fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trex.compare.gate import GateResult, GateStatus
from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.escape import xml_text
from trex.rules.finding import Severity
from trex.rules.lint_result import LintResult, RankedFinding
from trex.views.comparison.document import first_sentences
from trex.views.document import Document
from trex.views.findings import evidence_text, few
from trex.views.lint import unchecked_text
from trex.views.table import milliseconds


def render(document: Document, style: RenderStyle) -> str:
    source = document.source
    cases = _findings(source) if isinstance(source, LintResult) else _comparison(document)
    return suite_xml(f"trex {document.command}", document.title, cases)


def _comparison(document: Document) -> Iterator[str]:
    words = "\n".join(f"{title}: {printable(sentence)}" for title, sentence in first_sentences(document))
    yield case_xml("compare", "verdict", f"<system-out>{xml_text(words)}</system-out>" if words else "")
    for result in document.source.judged:
        condition = result.condition
        name = condition.text if result.subject == condition.metric else f"{condition.text} {result.subject}"
        yield case_xml(f"compare.{condition.metric}", name, _body(result))


def _body(result: GateResult) -> str:
    words = printable(result.words)
    if result.status is GateStatus.PASSED:
        return f"<system-out>{xml_text(words)}</system-out>"
    kind = "failure" if result.status is GateStatus.FAILED else "error"
    return f'<{kind} type="{result.status.value}" message="{attribute(words)}">{xml_text(words)}</{kind}>'


def _findings(result: LintResult) -> Iterator[str]:
    fail_on = Severity[(result.settings.fail_on or "error").upper()]
    if result.statement:
        yield case_xml("data", result.engine_name, f"<system-out>{xml_text(printable(result.statement))}</system-out>")
    reported = set()
    for finding in (*result.findings, *result.suppressed):
        reported.add(finding.rule)
        where = f"{finding.code} {few(finding.layer_names, 1) or finding.title}"
        yield case_xml(finding.rule, where, _finding(finding, fail_on))
    for failed in result.failed:
        reported.add(failed.rule)
        yield case_xml(failed.rule, failed.code, f'<error type="rule" message="{attribute(failed.error)}"/>')
    for unchecked in result.unchecked:
        reported.add(unchecked.rule)
        yield case_xml(unchecked.rule, unchecked.code, f'<skipped message="{attribute(unchecked_text(unchecked))}"/>')
    for rule, code in result.rules.items():
        if rule not in reported:
            yield case_xml(rule, code)


def _finding(finding: RankedFinding, fail_on: Severity) -> str:
    if finding.suppressed:
        return f'<skipped message="{attribute(f"suppressed: {finding.suppressed}")}"/>'
    text = xml_text(_text(finding))
    if finding.severity < fail_on:
        return f"<system-out>{text}</system-out>"
    return f'<failure type="{finding.severity.word}" message="{attribute(finding.message)}">{text}</failure>'


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


def suite_xml(program: str, title: str, cases: Iterable[str]) -> str:
    """One suite of cases with their counts. program: ``trex lint``. title: what was tested."""
    cases = [*cases]
    counts = {
        "tests": len(cases),
        "failures": sum("<failure" in case for case in cases),
        "errors": sum("<error" in case for case in cases),
        "skipped": sum("<skipped" in case for case in cases),
    }
    numbers = " ".join(f'{name}="{number}"' for name, number in counts.items())
    name = attribute(f"{program} {title}")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="{attribute(program)}" {numbers}>\n<testsuite name="{name}" {numbers}>\n'
        + "".join(cases)
        + "</testsuite>\n</testsuites>\n"
    )


def case_xml(of: str, name: str, body: str = "") -> str:
    """A case that passed unless its body says otherwise. of: the class, below ``trex``. body: XML."""
    head = f'<testcase classname="trex.{attribute(of)}" name="{attribute(name)}"'
    return f"{head}>{body}</testcase>\n" if body else f"{head}/>\n"


def attribute(text: str) -> str:
    """The text as a quoted attribute's value, control characters as escapes."""
    return xml_text(printable(text))


FORMAT = DocumentFormat((".xml", ".junit.xml"), render, commands=("compare", "lint"))
