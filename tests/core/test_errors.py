"""TrexError: an address, a message, and a next step."""

from __future__ import annotations

import pickle

import pytest

from trex.core.errors import EXCERPT_CHARS, TrexError, missing_extra


def test_the_text_has_address_excerpt_and_next_step() -> None:
    error = TrexError("expected ','", hint="the file is cut", where="x.graph.json:1:840", excerpt='"Name": "a" "b"')
    assert str(error).splitlines() == [
        "x.graph.json:1:840: expected ','",
        '  near: \'"Name": "a" "b"\'',
        "  try: the file is cut",
    ]


def test_empty_parts_are_left_out() -> None:
    assert str(TrexError("no engine here")) == "no engine here"
    assert str(TrexError("no engine here", where="out/")) == "out/: no engine here"


def test_an_excerpt_is_short_and_printable() -> None:
    error = TrexError("bad", excerpt="\x1e" + "x" * 40_000)
    assert len(error.excerpt) == EXCERPT_CHARS == 200
    assert str(error).isprintable() is False  # line breaks between its parts …
    assert all(line.isprintable() for line in str(error).splitlines())  # … and nothing else


def test_the_parts_can_be_read_back() -> None:
    error = TrexError("m", "h", "w", "e")
    assert (error.message, error.hint, error.where, error.excerpt) == ("m", "h", "w", "e")


def test_it_is_caught_as_itself() -> None:
    with pytest.raises(TrexError, match="no engine here"):
        raise TrexError("no engine here")


def test_an_absent_library_names_the_extra_that_brings_it() -> None:
    error = missing_extra("xlsxwriter", "excel", "An Excel workbook")
    assert "'xlsxwriter'" in error.message
    assert error.message.startswith("An Excel workbook")
    assert error.hint == "pip install 'tensorrt-engine-explorer[excel]'"


def test_it_comes_whole_from_another_process() -> None:
    error = TrexError("it is broken", "mend it", "file:1", "broken")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) and (copy.hint, copy.where, copy.excerpt) == ("mend it", "file:1", "broken")
