"""Text in the cells of a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.steps import steps
from trex.core.printable import printable
from trex.export.lettering import ELLIPSIS, cell_width, elided, padded, wrapped

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=60)


def test_names_lose_their_middle():
    assert elided("Conv_1 + Relu_2 + Add_3", 11) == "Conv_…Add_3"
    assert elided("short", 5) == "short"


@given(TEXTS, st.integers(0, 40))
def test_no_more_cells_than_allowed(text, width):
    short = elided(text, width)
    assert cell_width(short) <= width
    assert short == text or ELLIPSIS in short or width == 0


def test_wide_and_combining_characters():
    assert cell_width("层卷积") == 6
    assert cell_width("e\u0301") == 1
    assert elided("层卷积层卷积", 7) == "层…卷积"[:4] or cell_width(elided("层卷积层卷积", 7)) <= 7
    assert padded("层", 4) == "层  "
    assert padded("层", 4, right=True) == "  层"


@given(TEXTS, st.integers(8, 40), st.integers(0, 6))
def test_wrapped_lines_fit_and_lose_nothing(text, width, indent):
    lines = list(wrapped(text, width, indent))
    assert all(cell_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(printable(text).split())


def test_wrapping_breaks_between_words_and_hangs():
    assert list(wrapped("one two three four", 9, 2)) == ["one two", "  three", "  four"]
    assert list(wrapped("", 9)) == [""]


def test_a_word_longer_than_a_line_is_broken():
    assert list(wrapped("a /very/long/path", 8, 2)) == ["a", "  /very/", "  long/", "  path"]


@pytest.mark.parametrize("size", [100_000])
def test_long_text_takes_little_time(size):
    assert len(elided("x" * size, 40)) == 40
    assert len(list(wrapped("word " * (size // 5), 80))) > 1000
    assert len(list(wrapped("x" * size, 80, 4))) > 1000
    assert steps(lambda: list(wrapped("é" * 4000, 80, 4))) < 5 * steps(lambda: list(wrapped("é" * 1000, 80, 4)))
