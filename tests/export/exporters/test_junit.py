"""JUnit cases: text that cannot end an element."""

from __future__ import annotations

from xml.etree import ElementTree

from trex.export.exporters.junit import _case

HOSTILE = '"/><x onload="\x00\x1b\ud800</testcase>]]>'


def test_text_stays_text():
    for case in (_case("a", HOSTILE), _case(HOSTILE, "b", "failure", HOSTILE, message=HOSTILE)):
        read = ElementTree.fromstring(ElementTree.tostring(case, "unicode"))
        texts = [
            *read.attrib.values(),
            *(text for child in read for text in (*child.attrib.values(), child.text or "")),
        ]
        assert any(text.endswith('"/><x onload="\\x00\\x1b\\ud800</testcase>]]>') for text in texts)
