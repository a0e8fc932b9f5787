"""Log bytes → LogLines: lines with severity and source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trex.ingest.logs.chatter import is_chatter
from trex.ingest.logs.interleaved_lines import InterleavedLines, may_be_interleaved
from trex.ingest.logs.raw_lines import SECOND, LogData, RawLines
from trex.ingest.logs.tactic_lines import TacticLines

BANNER = "&&&&"

_PREFIX = re.compile(
    r"(?:\[(\d\d/\d\d/\d{4})-\d\d:\d\d:\d\d(?:\.\d{1,9})?\] ?)?"  # trtexec and trt.Logger; absent with TensorRT for RTX
    r"(\[TRT\] )?\[([VIWEF])\]( \[TRT\])?(?: |$)",
    re.ASCII,
)


class LogLine(NamedTuple):
    """One line of a log.

    number: line number in the file, from 1. severity: V, I, W, E or F; "" before the first message. is_trt: printed by
    the library (``[TRT]``), not by trtexec.
    message: the text after the prefix, verbatim (with trailing blanks and control characters).
    is_prefixed: False for a continuation line, which has the severity and source of the message before it.
    A ``&&&&`` banner belongs to no message and has none of them. day: of its clock, as ``04/30/2026``; "" without.
    """

    number: int
    severity: str
    is_trt: bool
    message: str
    is_prefixed: bool
    day: str = ""


def log_lines(
    data: LogData | RawLines, *, skip_chatter: bool = False, tactics: TacticLines | None = None
) -> Iterator[LogLine]:
    """The lines of a TensorRT log, in order, with one block of them in memory at a time.

    Understands the prefixes of trtexec (``[time] [I] [TRT] text``), the Python logger (``[time] [TRT] [I] text``) and
    logs without a clock (``[I] text``). Removes terminal colors, carriage returns, clocks of CI services and prefixes
    of other programs; rejoins interleaved lines. Only line feeds end a line: TensorRT's separators 0x1E and 0x1F stay
    in the text. A carriage return within a line starts another line of the same number.
    skip_chatter: yield only the first of consecutive messages that no reader needs (see ``chatter``). tactics: also
    receives the skipped messages.
    """
    is_time = None if tactics is None else tactics.is_time
    raw_lines = data if isinstance(data, RawLines) else RawLines(data)
    reader = _Prefixes()
    joiner = InterleavedLines()
    number = 0
    was_chatter = False
    for lines in raw_lines:
        for raw in lines:
            number += 1
            if raw is SECOND:
                continue
            if is_time is not None and was_chatter and not joiner.held and is_time(raw):
                reader.skipped = raw
                continue
            if skip_chatter and is_chatter(raw) and not joiner.held:
                if tactics is not None:
                    tactics.add(raw)
                if was_chatter:
                    reader.skipped = raw
                    continue
                was_chatter = True
            else:
                was_chatter = False
            if raw.endswith(b"\r"):
                raw = raw.rstrip(b"\r")
            if joiner.held or may_be_interleaved(raw) or b"\r" in raw:
                for text in _visible(raw):
                    for line in joiner.whole(text):
                        yield reader.read(number, line)
            else:
                yield reader.read(number, raw.decode("utf-8", "replace"))
    for line in joiner.rest():
        yield reader.read(number, line)


class _Prefixes:
    """Text → LogLine, with the prefix of the last message. skipped: a later message that was skipped."""

    def __init__(self) -> None:
        self.skipped = b""
        self._severity = ""
        self._is_trt = False

    def read(self, number: int, line: str) -> LogLine:
        first = line[:1]
        prefix = _PREFIX.match(line) if first == "[" else None
        if prefix is None and self.skipped:
            self._remember(_PREFIX.match(self.skipped.decode("utf-8", "replace")))
        if self.skipped:
            self.skipped = b""
        if prefix is not None:
            self._remember(prefix)
            return LogLine(number, self._severity, self._is_trt, line[prefix.end() :], True, prefix[1] or "")
        if first == "&" and line.startswith(BANNER):
            self._severity, self._is_trt = "", False
        return LogLine(number, self._severity, self._is_trt, line, False)

    def _remember(self, prefix: re.Match[str] | None) -> None:
        if prefix is not None:
            _, before, self._severity, after = prefix.groups()
            self._is_trt = before is not None or after is not None


def _visible(raw: bytes) -> Iterator[str]:
    """The texts of a line: several if carriage returns restart it, as progress bars do."""
    line = raw.decode("utf-8", "replace")
    if "\r" not in line:
        yield line
        return
    yield from filter(None, line.split("\r"))
