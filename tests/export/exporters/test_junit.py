"""JUnit suites: counts, and text that cannot end an element."""

from __future__ import annotations

from xml.etree import ElementTree

from trex.export.exporters.junit import attribute, case_xml, suite_xml

HOSTILE = '"/><x onload="\x00\x1b\ud800</testcase>]]>'


def test_cases_are_counted_and_text_stays_text():
    cases = [
        case_xml("a", HOSTILE),
        case_xml(HOSTILE, "b", f'<failure message="{attribute(HOSTILE)}"/>'),
        case_xml("c", "d", "<skipped/>"),
    ]
    suite = ElementTree.fromstring(suite_xml("trex x", HOSTILE, cases))[0]
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    assert len(suite) == 3 and suite[0].attrib["name"].startswith('"/><x onload="')
