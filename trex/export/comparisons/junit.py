"""JUnit: one test case per judgment of the gate, for the test pages of CI servers; without conditions the verdict.

A condition that failed is a failure, one that cannot be told an error, as it is no pass; without conditions nothing
can fail.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.compare.gate import GateResult, GateStatus
from trex.core.printable import printable
from trex.export.comparison import ComparisonFormat, ComparisonStyle
from trex.export.escape import xml_text
from trex.export.junit_suite import attribute, case_xml, suite_xml
from trex.views.comparison.reading import ComparisonReading


def render(reading: ComparisonReading, style: ComparisonStyle) -> str:
    return suite_xml("trex compare", reading.title, _cases(reading))


def _cases(reading: ComparisonReading) -> Iterator[str]:
    said = "\n".join(f"{title}: {statement}" for title, statement in _spoken(reading))
    yield case_xml("compare", "verdict", f"<system-out>{xml_text(said)}</system-out>" if said else "")
    for each in reading.judged:
        name = each.condition.text if each.subject == each.condition.metric else f"{each.condition.text} {each.subject}"
        yield case_xml(f"compare.{each.condition.metric}", name, _body(each))


def _spoken(reading: ComparisonReading) -> Iterator[tuple[str, str]]:
    if reading.statement:
        yield "data", printable(reading.statement)
    for _, title, content in reading.sections:
        for statement in content.statements[:1]:
            yield title, printable(statement)


def _body(judged: GateResult) -> str:
    words = printable(judged.words)
    if judged.status is GateStatus.PASSED:
        return f"<system-out>{xml_text(words)}</system-out>"
    kind = "failure" if judged.status is GateStatus.FAILED else "error"
    return f'<{kind} type="{judged.status.value}" message="{attribute(words)}">{xml_text(words)}</{kind}>'


FORMAT = ComparisonFormat((".xml", ".junit.xml"), render)
