"""Members of gzip data, and padding between them."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.plain_blocks import BLOCK, plain_blocks


def plain(data: bytes, block: int = BLOCK) -> tuple[bytes, list[Note]]:
    notes: list[Note] = []
    pieces = list(plain_blocks(io.BufferedReader(io.BytesIO(data)), len(data), "m.json.gz", notes, block))
    assert all(0 < len(piece) <= block for piece in pieces)
    return b"".join(pieces), notes


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.binary(max_size=400) | st.sampled_from([b"", b"x" * 9000]), st.integers(0, 70)), min_size=1),
    st.sampled_from([1, 7, BLOCK]),
)
def test_members_and_padding_are_those_of_python(members: list[tuple[bytes, int]], block: int) -> None:
    data = b"".join(gzip.compress(text) + bytes(zeros) for text, zeros in members)
    assert plain(data, block) == (gzip.decompress(data), [])


@pytest.mark.parametrize("zeros", [0, 5 * BLOCK + 3])
def test_padding_is_read_by_blocks(zeros: int) -> None:
    """Python's reader reads it byte by byte: 50 MB took a minute."""

    class Counted(io.BytesIO):
        reads = 0

        def peek(self, _size: int = 0) -> bytes:
            return self.getvalue()[:64]

        def read(self, size: int | None = -1) -> bytes:
            self.reads += 1
            return super().read(size)

    file = Counted(gzip.compress(b"a") + bytes(zeros) + gzip.compress(b"b"))
    assert b"".join(plain_blocks(file, 10**6, "m.json.gz", [])) == b"ab"
    assert file.reads < 10


ONE, MANY = (gzip.compress(b"abc" * count, mtime=0) for count in (1, 99))


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (MANY[:-9], True),
        (MANY[:-1], True),
        (ONE + bytes(20) + b"no gzip", True),
        (ONE + ONE[:6], True),
        (ONE[:-8] + bytes(8), True),  # another check sum
        (ONE[:10], False),
        (b"\x1f\x8bno gzip", False),
    ],
    ids=["check sum", "last byte", "text behind", "second header", "other check sum", "header alone", "no header"],
)
def test_damage_is_noted_or_refused(data: bytes, kept: bool) -> None:
    if not kept:
        with pytest.raises(TrexError, match="the compressed data is damaged"):
            plain(data)
        return
    text, notes = plain(data)
    assert text.startswith(b"abc") and [note.code for note in notes] == ["damaged-compression"]
