"""No text of an engine can break out of an element."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.export.escape import printable_xml, xml_text

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=200)


@given(ANY_TEXT)
def test_any_text_makes_a_valid_document(text):
    safe = xml_text(text)
    root = ElementTree.fromstring(f'<a b="{safe}">{safe}</a>'.encode())
    assert not list(root) and root.attrib.keys() == {"b"}


@pytest.mark.parametrize(
    "text", ["plain", "名前", "emoji 🙂", "a\nb\tc", "<b> & \"q\" 'r' </script>", "]]>", "\u200fright to left שלום"]
)
def test_readable_text_comes_back_unchanged(text):
    assert ElementTree.fromstring(f"<a>{xml_text(text)}</a>").text == text


def test_what_xml_cannot_hold_becomes_a_picture_of_it():
    assert xml_text("a\x1eb\x00c\x7fd\ud800e\ufffff") == "a␞b␀c␡d\ufffde\ufffdf"


@pytest.mark.parametrize("code", [*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
def test_a_change_of_direction_is_visible(code):
    assert xml_text(f"a{chr(code)}b") == printable_xml(f"a{chr(code)}b") == "a\ufffdb"
