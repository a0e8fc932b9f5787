"""Strings of the DOT language: escaped, capped, and HTML-like only when Graphviz can read them."""

from __future__ import annotations

import pytest

from tests.dot_parser import parse_dot, shown
from trex.export.dot_text import MAX_BYTES, dot_attributes, dot_id, dot_string, dot_value, is_html_like


@pytest.mark.parametrize(
    ("text", "string"),
    [
        ("plain", '"plain"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("end\\", '"end\\\\"'),
        ("\\N", '"\\\\N"'),
        ("a\nb\r\nc\rd\te", '"a\\nb\\nc\\nd e"'),
        ("R&D &lt;", '"R&amp;D &amp;lt;"'),
        ("a\x1eb\x7f", '"a␞b␡"'),
        ("\ud800", '"\ufffd"'),
    ],
)
def test_escapes(text, string):
    assert dot_string(text) == string


@pytest.mark.parametrize("unit", ["x", '"', "&", "名", "\\", "\n", "🙂", "\x00", "ab\n"])
@pytest.mark.parametrize("count", [2_000, 2_400, 2_401, 12_000, 100_000])
def test_no_string_is_too_long(unit, count):
    string = dot_string(unit * count)
    assert len(string.encode()) <= MAX_BYTES + 200
    dot = parse_dot(f"digraph g {{ a [label={string}] }}")
    if "more" not in string:
        assert shown(dot.nodes["a"]["label"]).replace("␀", "\x00") == unit * count


def test_the_end_of_a_long_line_stays():
    string = dot_string("a" * 3_000 + "z\nsecond line")
    assert string.endswith('z\\nsecond line"')
    assert "… 1001 characters more …" in string


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("<<B>bold</B>>", True),
        ('< <TABLE BORDER="0"><TR><TD>x &amp; y</TD></TR></TABLE> >', True),
        ("<<b>x</b> y>", True),
        ("<plain>", False),
        ("<<B>open>", False),
        ("<<a href='x'>y</a>>", False),
        ("<<IMG SRC='x'/>>", False),
        ("<<!-- c --><B>x</B>>", False),
        ("<<B>x</B>> more", False),
        ("<<B>" + "x" * 20_000 + "</B>>", False),
        ("", False),
    ],
)
def test_html_like(text, taken):
    assert is_html_like(text) is taken
    assert dot_value(text).startswith("<" if taken else '"')
    parse_dot(f"digraph g {{ a {dot_attributes({'label': text})} }}")


def test_ids_and_attributes():
    assert dot_id("fillcolor") == "fillcolor"
    assert (dot_id("node"), dot_id("two words"), dot_id("")) == ('"node"', '"two words"', '""')
    assert dot_attributes({"a": 1, "b": None, "c d": True}) == '[a="1", "c d"="True"]'
