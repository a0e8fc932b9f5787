"""text: any encoding is decoded; invalid text is a Note."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.core.note import Note
from trex.ingest.text import address_in, decode, without_blank_end


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings(encoding: str) -> None:
    text = '{"Name": "caf\u00e9 \U0001f600"}'
    assert decode(text.encode(encoding)) == (text, ())


def test_invalid_bytes_are_counted_and_placed() -> None:
    text, (note,) = decode(b"line one\ncaf\xe9 and \xff \xef\xbf\xbd", "x.log")
    assert text == "line one\ncaf\ufffd and \ufffd \ufffd"
    assert note.message.startswith("2 sequences")
    assert note.where == "x.log:2:4"


def test_an_odd_wide_tail_is_a_note() -> None:
    text, (note,) = decode("{}".encode("utf-16") + b"x")
    assert text == "{}\ufffd"
    assert note.code == "invalid-text"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_decode_takes_any_bytes(data: bytes) -> None:
    text, notes = decode(data)
    text.encode("utf-8")
    assert len(notes) <= 1


def test_addresses_count_from_one() -> None:
    assert address_in("ab\ncd", 4, "f") == "f:2:2"
    assert address_in("ab", 0, "") == "1:1"


@pytest.mark.parametrize("blanks", [b" ", b"\r\n", b" \x00\n", b"\x00"])
def test_only_blanks_at_the_end_are_left_out(blanks: bytes) -> None:
    blocks = [b"a", blanks * 300_000, b"b", blanks * 300_000, blanks]
    assert b"".join(without_blank_end(blocks, [])).rstrip(b"\x00") == b"a" + blanks * 300_000 + b"b"
    notes: list[Note] = []
    assert b"".join(without_blank_end(blocks[:2], notes)) == b"a"
    zeros = blanks.count(0) * 300_000
    assert [note.message.split(" ")[0] for note in notes] == ([f"{zeros:,}"] if zeros else [])
