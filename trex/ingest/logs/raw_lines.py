"""Blocks of a log's bytes → RawLines: lines in UTF-8, one block in memory at a time.

Any encoding becomes UTF-8; terminal colors and prefixes of other programs are removed.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import BinaryIO

from trex.ingest.logs.outer_prefix import learned_prefix
from trex.ingest.text import encoding_of

BLOCK_BYTES = 1 << 18
# The encoding and the prefixes are determined from this many bytes.
HEAD_BYTES = 1 << 16
# A longer line, as in a file that is no log, is split into pieces of this size.
LONGEST_LINE = 1 << 22

LogData = bytes | BinaryIO | Iterable[bytes]

SECOND = b"\x00second"
"""Instead of a line that repeats the one before it, where all of TensorRT's lines stand twice."""
_HEAD_LINES, _FEWEST, _DOUBLED = 1000, 16, 0.6
"""Lines that are looked at, how many other ones must be doubled, and the share of them that is left at most."""
_MESSAGE = re.compile(rb"\[TRT\]|\[[VIWE]\]")
_FIGURE = re.compile(rb"[0-9][0-9.]*(?:e[-+]?[0-9]+)?")

_ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


class RawLines:
    """The lines of a log, in lists, without line feeds; can be iterated once.

    data: bytes, a file opened in binary mode, or blocks of bytes cut anywhere; an empty block says that no more is
    there yet, so that the lines of a growing file are not waited for. head: its first bytes, unchanged, from which the
    caller recognizes a file that is no log. is_doubled: whether every message stands twice, as two handlers of a Python
    logger write it; the second is ``SECOND`` then. is_mixed: some stand with other figures the second time, as two runs
    of one command write them.
    """

    def __init__(self, data: LogData) -> None:
        self._blocks = _blocks(data)
        parts: list[bytes] = []
        size = 0
        for block in self._blocks:
            parts.append(block)
            size += len(block)
            if size >= HEAD_BYTES or (size and not block):
                break
        first = b"".join(parts)
        self.head = first[:HEAD_BYTES]
        self.is_doubled = self.is_mixed = False
        self._first = first

    def __iter__(self) -> Iterator[list[bytes]]:
        first, self._first = self._first, b""
        prefix: re.Pattern[bytes] | None = None
        size = 0
        before: bytes | None = None
        has_begun = False
        single = _Single()
        for lines in _whole_lines(_in_utf8(first, self._blocks)):
            if b"\x1b" in lines:
                lines = _ESCAPE.sub(b"", lines)
            if prefix is None and size < HEAD_BYTES:
                prefix = learned_prefix(lines[: HEAD_BYTES - size])
                size += len(lines)
            if prefix is not None:
                lines = prefix.sub(b"", lines)
            every = lines.split(b"\n")
            if not has_begun:
                self.is_doubled = _are_doubled(every)
            has_begun = True
            if self.is_doubled:
                every, before = _once(every, before)
                self.is_mixed = self.is_mixed or single.are_of_two_runs(every)
            yield every


def _are_doubled(lines: list[bytes]) -> bool:
    """By the messages, or else by all lines, of the head: others may be a program's own, which are not doubled."""
    head = [line for line in lines[:_HEAD_LINES] if line.strip()]
    messages = [line for line in head if _MESSAGE.search(line, 0, 64)]
    for some in (messages, head):
        kept = [line for line in _once(some, None)[0] if line is not SECOND]
        if len(set(kept)) >= _FEWEST and len(kept) <= _DOUBLED * len(some):
            return True
    return False


def _once(lines: list[bytes], before: bytes | None) -> tuple[list[bytes], bytes | None]:
    """(the lines with ``SECOND`` for the second of two equal ones, the last line if it may have another)."""
    result = []
    for line in lines:
        if line == before:
            result.append(SECOND)
            before = None
        else:
            result.append(line)
            before = line
    return result, before


class _Single:
    """The lines of a doubled log that stand once."""

    def __init__(self) -> None:
        self._last = self._first = b""
        self._pairs = 0
        self._are_pairs = False

    def are_of_two_runs(self, lines: list[bytes]) -> bool:
        """Whether, between two doubled lines, all are messages in pairs that differ only in their figures. What another
        program writes before, after or between is not.
        """
        for line in lines:
            if line is not SECOND:
                if self._last:
                    self._add(self._last)
                self._last = line
                continue
            if self._are_pairs and self._pairs and not self._first:
                return True
            self._last = self._first = b""
            self._pairs, self._are_pairs = 0, True
        return False

    def _add(self, line: bytes) -> None:
        words = _FIGURE.sub(b"0", line) if self._are_pairs and _MESSAGE.search(line, 0, 64) else b""
        if not words or self._first not in (b"", words):
            self._are_pairs = False
        self._pairs += bool(self._first)
        self._first = b"" if self._first else words


def _blocks(data: LogData) -> Iterator[bytes]:
    if isinstance(data, bytes):
        return (data[start : start + BLOCK_BYTES] for start in range(0, len(data), BLOCK_BYTES))
    if isinstance(data, io.IOBase):
        return iter(partial(data.read, BLOCK_BYTES), b"")
    return iter(data)


def _in_utf8(first: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    encoding, skipped = encoding_of(first)
    first = first[skipped:]
    if encoding == "utf-8":
        yield first
        yield from others
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(first).encode("utf-8", "replace")
    for block in others:
        yield decoder.decode(block).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _whole_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks of whole lines, without the line feed at the end of a block."""
    waiting: list[bytes] = []
    size = 0
    for block in blocks:
        cut = block.rfind(b"\n")
        if cut < 0 and size + len(block) < LONGEST_LINE:
            waiting.append(block)
            size += len(block)
            continue
        if cut < 0:
            yield b"".join((*waiting, block))
            waiting, size = [], 0
            continue
        waiting.append(block[:cut])
        yield b"".join(waiting)
        waiting, size = [block[cut + 1 :]], len(block) - cut - 1
    rest = b"".join(waiting)
    if rest:
        yield rest
