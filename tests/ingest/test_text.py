"""text: any encoding is decoded; invalid text is a Note."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.core.note import Note
from trex.ingest.text import address_in, decode, without_binary_blocks, without_blank_end


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


def test_binary_blocks_are_left_out_and_the_text_around_them_stays() -> None:
    text = b'{"a": 1,\n"b": "' + b"x" * 10_000 + b'"}\n'
    for garbage in (b"\x00" * 20_000, b"\xff" * 5000, random.Random(1).randbytes(100_000)):
        notes: list[Note] = []
        kept = without_binary_blocks(text + garbage + text, notes, "x.json")
        assert kept.startswith(text) and kept.endswith(text) and len(kept) < 2 * len(text) + 200
        (note,) = notes
        assert note.where == "x.json:3" and note.severity == "problem" and note.code == "binary-data-in-text"
        assert without_binary_blocks(text + garbage, notes, "x.json")[: len(text)] == text
        assert notes[-1].severity == "warning"


@pytest.mark.parametrize("names", ["a\x1eb" * 5000, "卷积" * 5000, "\x01\x02x" * 60, "ä" * 5000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_names_are_no_binary_data(names: str, encoding: str) -> None:
    notes: list[Note] = []
    data = f'["{names}"]'.encode(encoding)
    assert without_binary_blocks(data, notes, "x.json") == data and not notes


def test_names_in_another_encoding_are_no_binary_data() -> None:
    notes: list[Note] = []
    data = ('["' + "卷积é" * 5000 + '"]').encode("gb18030")
    assert without_binary_blocks(data, notes, "x.json") == data and not notes
