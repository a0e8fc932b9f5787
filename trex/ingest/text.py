"""Bytes → text, whatever their encoding."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.signature import is_wide_text

_UTF8_MARK = b"\xef\xbb\xbf"
_BLANKS = b"\x00 \t\r\n"
_RUN_PIECE = 1 << 18
_BLOCK = 4096
_RANDOM_TEXT = 200
"""Bytes; so many in a row of random data are never text."""
_NOT_IN_TEXT = bytes((*range(7), *range(0x0E, 0x1C), 0x7F, 0xFF))
_BINARY = re.compile(b"[" + re.escape(_NOT_IN_TEXT) + b"]")


def decode(data: bytes, where: str = "") -> tuple[str, tuple[Note, ...]]:
    """The text in bytes of UTF-8, UTF-16 or UTF-32, with or without a byte order mark, and a Note on invalid bytes.

    Invalid bytes become U+FFFD; the Note has their number and the address of the first.
    """
    encoding, skipped = encoding_of(data)
    body = data[skipped:] if skipped else data
    try:
        return body.decode(encoding), ()
    except UnicodeDecodeError as error:
        first = error
    text = body.decode(encoding, "replace")
    # Up to the first invalid byte both decodings agree.
    position = len(body[: first.start].decode(encoding, "replace"))
    valid = body.count("\ufffd".encode(encoding))
    count = max(1, text.count("\ufffd") - valid)
    note = Note(
        "invalid-text",
        f"{counted(count, 'sequence')} of bytes that are not valid {encoding.upper()} replaced by U+FFFD",
        "the file may be cut off, or its layer names may be in another encoding",
        address_in(text, position, where),
    )
    return text, (note,)


def without_blank_end(blocks: Iterable[bytes], notes: list[Note], where: str = "") -> Iterator[bytes]:
    """The blocks of a text without the NUL bytes at its end, which a Note reports, and without final blocks of blanks.

    A crash or a full disk leaves NULs where data should follow. Blocks of one repeated blank are held as a number, so
    that a sparse file costs no memory, those of several blanks packed.
    """
    runs: list[_Blanks] = []
    last, unit, size = b"", 0, 0
    for block in blocks:
        unit = unit or _unit_of(block)
        end = block[-1:]
        if end in _BLANKS and block[:1] == end and block.count(end) == len(block):
            runs.append(_Blanks(end, len(block)))
            continue
        if end in _BLANKS and block[:1] in _BLANKS and not block.strip(_BLANKS):
            runs.append(_Blanks(zlib.compress(block, 1), len(block), block.count(0) if unit == 1 else 0))
            continue
        if last:
            yield last
        for run in runs:
            size += run.size
            yield from run.pieces()
        runs.clear()
        last = block
        size += len(block)
    zeros = sum(run.size if run.text == b"\x00" else run.packed_zeros or 0 for run in runs)
    if last.endswith(b"\x00"):
        stripped = last.rstrip(b"\x00")
        zeros += len(last) - len(stripped)
        size -= len(last) - len(stripped)
        last = stripped
    if zeros and unit > 1:  # half of a character may be zero
        kept = min(zeros, -size % unit)
        last += bytes(kept)
        zeros -= kept
    if zeros and size:
        notes.append(_zeros_note(zeros, where))
    if last:
        yield last


def without_binary_blocks(data: bytes, notes: list[Note], where: str = "") -> bytes:
    """The text without its blocks of binary data, which a Note reports.

    Disks and downloads leave them: zeros, erased flash, parts of other files. As text they would be a hundred times as
    large, and nonsense.
    """
    if encoding_of(data)[0] != "utf-8":
        return data
    spans: list[tuple[int, int]] = []
    for start in range(0, len(data), _BLOCK):
        block = data[start : start + _BLOCK]
        goes_on = bool(spans) and start - spans[-1][1] < _BLOCK // 2
        odd = len(block) - len(block.translate(None, _NOT_IN_TEXT))
        if odd * 20 > (len(block) if goes_on else _BLOCK):
            first, after = (_BINARY.search(part) for part in (block, block[::-1]))
            assert first is not None and after is not None
            begin = spans.pop()[0] if goes_on else start + first.start()
            spans.append((begin, start + len(block) - after.start()))
    if not spans:
        return data
    edges = [0, *(edge for span in spans for edge in span), len(data)]
    text = b"".join(data[begin:end] for begin, end in zip(edges[::2], edges[1::2], strict=True))
    count = len(data) - len(text)
    line = data.count(b"\n", 0, edges[1]) + 1
    is_behind = len(spans) == 1 and len(data) - edges[2] < _RANDOM_TEXT
    notes.append(
        Note(
            "binary-data-in-text",
            f"{counted(count, 'byte')} of binary data left out",
            "a damaged disk or download leaves such files: get the file again, or export it again",
            f"{where}:{line}" if where else str(line),
            "warning" if is_behind else "problem",  # text is missing
        )
    )
    return text


@dataclass(frozen=True, slots=True)
class _Blanks:
    """text: one blank that is repeated, or packed text. packed_zeros: number of NULs in that, None of a blank."""

    text: bytes
    size: int
    packed_zeros: int | None = None

    def pieces(self) -> Iterator[bytes]:
        if self.packed_zeros is not None:
            yield zlib.decompress(self.text)
            return
        for start in range(0, self.size, _RUN_PIECE):
            yield self.text * min(_RUN_PIECE, self.size - start)


def _unit_of(head: bytes) -> int:
    """Bytes of the smallest character."""
    encoding, _ = encoding_of(head)
    return 4 if "32" in encoding else 2 if "16" in encoding else 1


def _zeros_note(count: int, where: str) -> Note:
    return Note(
        "zeros-at-end",
        f"{counted(count, 'NUL byte')} at the end left out",
        "a crash or a full disk leaves such files: check that nothing is missing, or export the file again",
        where,
    )


def address_in(text: str, position: int, where: str) -> str:
    """``file:line:column`` (both from 1) of a position in a text."""
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"{where}:{line}:{column}" if where else f"{line}:{column}"


def encoding_of(data: bytes) -> tuple[str, int]:
    """(codec, length of the byte order mark) of text, by its first bytes."""
    if data.startswith(_UTF8_MARK):
        return "utf-8", 3
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return ("utf-32-le" if data[0] == 0xFF else "utf-32-be"), 4
    if data.startswith(b"\xff\xfe"):
        return "utf-16-le", 2
    if data.startswith(b"\xfe\xff"):
        return "utf-16-be", 2
    if b"\x00" in data[:64] and is_wide_text(data[:64]):
        return ("utf-16-be" if data[0] == 0 else "utf-16-le"), 0
    return "utf-8", 0
