"""JUnit: one test case per result of the gate, for the test pages of CI servers; without conditions the verdict.

A condition that failed is a failure, an inconclusive one an error, as it is not a pass; without conditions nothing can
fail.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.compare.gate import GateResult, GateStatus
from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.escape import xml_text
from trex.export.junit_suite import attribute, case_xml, suite_xml
from trex.views.comparison.document import first_sentences
from trex.views.document import Document


def render(document: Document, style: RenderStyle) -> str:
    return suite_xml(f"trex {document.command}", document.title, _comparison(document))


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


FORMAT = DocumentFormat((".xml", ".junit.xml"), render, commands=("compare",))
