"""Words fit their room."""

from __future__ import annotations

import pytest

from trex.views.diagram.lettering import elided, text_width, wrapped

WORDS = [
    "conv1",
    "/layer1/layer1.0/conv2/Conv + /layer1/layer1.0/Add + /layer1/layer1.0/relu_1/Relu",
    "x" * 3000,
    "名前" * 40,
    "🙂" * 50,
    "{ForeignNode[" + "/a/b/c..." * 30 + "]}",
    "tabs\tand\nlines " * 20,
    "\ud800broken" * 20,
    "",
]


def test_widths_grow_with_letters():
    assert text_width("iii", 11) < text_width("nnn", 11) < text_width("mmm", 11) < text_width("名名名", 11)
    assert text_width("ab", 22) == pytest.approx(2 * text_width("ab", 11))


@pytest.mark.parametrize("text", WORDS, ids=range(len(WORDS)))
def test_elision_fits_and_keeps_both_ends(text):
    short = elided(text, 150, 11)
    assert text_width(short, 11) <= 150 or len(short) <= 6
    if short != text:
        assert "…" in short and text.startswith(short[0]) and text.endswith(short[-1])


@pytest.mark.parametrize("text", WORDS, ids=range(len(WORDS)))
@pytest.mark.parametrize("lines", [1, 2, 4])
def test_wrapping_fits_and_loses_only_the_middle(text, lines):
    result = wrapped(text, 150, 11, lines)
    assert len(result) <= lines
    assert all(text_width(line, 11) <= 151 for line in result)
    if text and "…" not in "".join(result):
        assert "".join("".join(result).split()) == "".join(text.split())


def test_lines_break_after_separators():
    assert wrapped("/layer1/block2/conv3/weights", 100, 11, 3)[0].endswith("/")


def test_a_huge_name_is_wrapped():
    assert len(wrapped("a" * 40_000, 260, 11, 4)) <= 4
