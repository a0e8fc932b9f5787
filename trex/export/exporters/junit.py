"""JUnit for the test pages of CI servers: one test case per finding and sound rule, or per result of the gate.

A finding at or above ``--fail-on`` is a failure, one below it a passed case with its message; a rule that can't check
the engine is skipped with its reason, as is data that was lost; a rule that failed is an error. A condition of the gate
that failed is a failure, an inconclusive one an error; without conditions the only case is the verdict, which can't
fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from trex.compare.gate import GateStatus
from trex.core.note import Note
from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.rules.finding import Severity
from trex.rules.lint_result import LintResult, RankedFinding
from trex.views.compare.document import first_sentences
from trex.views.document import Document
from trex.views.findings import evidence_text, few
from trex.views.lint import problems_in, unchecked_text
from trex.views.table import milliseconds


def render(document: Document, style: RenderStyle) -> str:
    source = document.source
    cases = [*(_findings(source, document.notes) if isinstance(source, LintResult) else _comparison(document))]
    counts = {"tests": str(len(cases))}
    for kind, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        counts[name] = str(sum(case.find(kind) is not None for case in cases))
    program = f"trex {document.command}"
    suites = Element("testsuites", {"name": program, **counts})
    SubElement(suites, "testsuite", {"name": printable(f"{program} {document.title}"), **counts}).extend(cases)
    indent(suites, "")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, "unicode")}\n'


def _case(of: str, name: str, kind: str = "", text: str = "", **attributes: str) -> Element:
    """A case that passed unless its kind says otherwise. of: the class, below ``trex``."""
    case = Element("testcase", classname=printable(f"trex.{of}"), name=printable(name))
    if kind:
        child = SubElement(case, kind, {key: printable(value) for key, value in attributes.items()})
        child.text = "\n".join(map(printable, text.split("\n")))
    return case


def _comparison(document: Document) -> Iterator[Element]:
    words = "\n".join(f"{title}: {sentence}" for title, sentence in first_sentences(document))
    yield _case("compare", "verdict", "system-out" if words else "", words)
    for result in document.source.judged:
        condition = result.condition
        name = condition.text if result.subject == condition.metric else f"{condition.text} {result.subject}"
        of = f"compare.{condition.metric}"
        if result.status is GateStatus.PASSED:
            yield _case(of, name, "system-out", result.words)
        else:
            kind = "failure" if result.status is GateStatus.FAILED else "error"
            yield _case(of, name, kind, result.words, type=result.status.value, message=result.words)


def _findings(result: LintResult, notes: Sequence[Note]) -> Iterator[Element]:
    fail_on = Severity[(result.settings.fail_on or "error").upper()]
    for statement in result.statements:
        yield _case("data", result.engine_name, "system-out", statement)
    for note in problems_in(notes):
        yield _case("data", note.code, "skipped", message=str(note))
    reported = set()
    for finding in (*result.findings, *result.suppressed):
        reported.add(finding.rule)
        where = f"{finding.code} {few(finding.layer_names, 1) or finding.title}"
        if finding.suppressed:
            yield _case(finding.rule, where, "skipped", message=f"suppressed: {finding.suppressed}")
        elif finding.severity < fail_on:
            yield _case(finding.rule, where, "system-out", _text(finding))
        else:
            kind, message = finding.severity.word, finding.message
            yield _case(finding.rule, where, "failure", _text(finding), type=kind, message=message)
    for failed in result.failed:
        reported.add(failed.rule)
        yield _case(failed.rule, failed.code, "error", type="rule", message=failed.error)
    for unchecked in result.unchecked:
        reported.add(unchecked.rule)
        yield _case(unchecked.rule, unchecked.code, "skipped", message=unchecked_text(unchecked))
    for rule, code in result.rules.items():
        if rule not in reported:
            yield _case(rule, code)


def _text(finding: RankedFinding) -> str:
    lines = [finding.message]
    if finding.savings_alone_ms is not None:
        lines.append(
            f"savings: likely {milliseconds(finding.likely_savings_ms)} ms, at most {milliseconds(finding.savings_ms)} "
            f"ms, alone {milliseconds(finding.savings_alone_ms)} ms"
        )
    if finding.layer_names:
        lines.append(f"layers: {few(finding.layer_names, 20)}")
    lines += [evidence_text(item) for item in finding.evidence]
    lines += [f"fix: {fix}" for fix in finding.fix]
    lines += [f"check: {finding.how_to_check}"] if finding.how_to_check else []
    return "\n".join(lines)


FORMAT = DocumentFormat((".xml", ".junit.xml"), render, commands=("compare", "lint"))
