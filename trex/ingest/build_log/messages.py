"""Log bytes → the library's messages, each with its line number and clock."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trex.ingest.logs.interleaved_lines import InterleavedLines, may_be_interleaved
from trex.ingest.logs.raw_lines import SECOND, RawLines

Message = tuple[int, bytes, bytes]
"""(line number, clock as printed or b"", text)."""

# Columns 20 to 32 of ``[MM/DD/YYYY-HH:MM:SS] [V] [TRT] text``, as trtexec and trt.Logger order them.
_HEADS = frozenset(
    head for severity in (b"V", b"I", b"W", b"E") for head in (b"] [%s] [TRT] " % severity, b"] [TRT] [%s] " % severity)
)
_HEAD_START, _HEAD_END = 20, 32
_PREFIX = re.compile(
    rb"(?:\[(\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d)(?:\.\d{1,9})?\] ?)?"
    rb"(?:\[TRT\] \[[VIWEF]\] ?|\[[VIWEF]\] \[TRT\] ?|\[[VIWEF]\] ?|\[TRT\] *|\[TensorRT\] [A-Z_]+: ?)?",
    re.ASCII,
)


def messages(lines: RawLines) -> Iterator[Message]:
    """Every line without its prefix, in order. Interleaved lines are joined."""
    joiner = InterleavedLines()
    number = 0
    for block in lines:
        for raw in block:
            number += 1
            if raw is SECOND:
                continue
            if joiner.held or may_be_interleaved(raw) or raw.endswith(b"\r"):
                for text in raw.decode("utf-8", "replace").split("\r"):
                    for line in joiner.whole(text) if text else ():
                        yield message_of(number, line.encode("utf-8", "replace"))
            elif raw[_HEAD_START:_HEAD_END] in _HEADS:
                yield number, raw[1:_HEAD_START], raw[_HEAD_END:]
            else:
                yield message_of(number, raw)
    for line in joiner.rest():
        yield message_of(number, line.encode("utf-8", "replace"))


def message_of(number: int, line: bytes) -> Message:
    """A whole line without its prefix."""
    prefix = _PREFIX.match(line)
    return (number, prefix[1] or b"", line[prefix.end() :]) if prefix else (number, b"", line)
