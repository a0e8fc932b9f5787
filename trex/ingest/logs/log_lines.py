"""Log bytes → LogLines: who said what, one line at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trex.ingest.logs.chatter import is_chatter
from trex.ingest.logs.raw_lines import LogData, RawLines
from trex.ingest.logs.tactic_lines import TacticLines
from trex.ingest.logs.torn_lines import TornLines, may_be_torn

BANNER = "&&&&"

_PREFIX = re.compile(
    r"(?:\[(\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d(?:\.\d{1,9})?)\] ?)?"  # trtexec and trt.Logger; absent with TensorRT for RTX
    r"(\[TRT\] )?\[([VIWEF])\]( \[TRT\])?(?: |$)",
    re.ASCII,
)
# Continuous-integration services and container runtimes put their own clock in front of every line.
_OUTER_CLOCK = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? ", re.ASCII)


class LogLine(NamedTuple):
    """One line of a log.

    number: its place in the file, from 1. time: ``MM/DD/YYYY-HH:MM:SS`` as printed, "" without a clock.
    severity: V, I, W, E or F; "" before the first message. is_trt: said by the library (``[TRT]``), not by trtexec.
    message: the text after the prefix, otherwise verbatim (trailing blanks and control characters kept).
    is_prefixed: False for a continuation line, which carries the time, severity and speaker of the message before it.
    A ``&&&&`` banner belongs to no message and carries none of them.
    """

    number: int
    time: str
    severity: str
    is_trt: bool
    message: str
    is_prefixed: bool


def log_lines(
    data: LogData | RawLines, *, skip_chatter: bool = False, tactics: TacticLines | None = None
) -> Iterator[LogLine]:
    """The lines of a TensorRT log, in order, with a block of them in memory at a time.

    Understands trtexec's prefix (``[time] [I] [TRT] text``), the Python logger's (``[time] [TRT] [I] text``) and one
    without a clock (``[I] text``); removes terminal colors, carriage returns, the clocks of CI services and what other
    programs put in front of every line; puts lines together that another one ran into. Lines end at line feeds only:
    TensorRT's own separators 0x1E and 0x1F stay in the text. A carriage return within a line starts another one of the
    same number.
    skip_chatter: of the library's messages that tell nothing (see ``chatter``) and follow one another, only the first
    is told. tactics: what is to see the chatter that is skipped.
    """
    is_time = None if tactics is None else tactics.is_time
    raw_lines = data if isinstance(data, RawLines) else RawLines(data)
    reader = _Prefixes()
    torn = TornLines()
    number = 0
    was_chatter = False
    for lines in raw_lines:
        for raw in lines:
            number += 1
            if is_time is not None and was_chatter and not torn.held and is_time(raw):
                reader.skipped = raw
                continue
            if skip_chatter and is_chatter(raw) and not torn.held:
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
            if torn.held or may_be_torn(raw) or b"\r" in raw:
                for text in _visible(raw):
                    for line in torn.whole(text):
                        yield reader.read(number, line)
            else:
                yield reader.read(number, raw.decode("utf-8", "replace"))
    for line in torn.rest():
        yield reader.read(number, line)


class _Prefixes:
    """Text → LogLine, knowing who spoke last. skipped: a message since then that nobody read."""

    def __init__(self) -> None:
        self.skipped = b""
        self._time = self._severity = ""
        self._is_trt = False

    def read(self, number: int, line: str) -> LogLine:
        first = line[:1]
        if first == "2" and (clock := _OUTER_CLOCK.match(line)):
            line = line[clock.end() :]
            first = line[:1]
        found = _PREFIX.match(line) if first == "[" else None
        if found is None and self.skipped:
            self._speaks(_PREFIX.match(self.skipped.decode("utf-8", "replace")))
        if self.skipped:
            self.skipped = b""
        if found is not None:
            self._speaks(found)
            return LogLine(number, self._time, self._severity, self._is_trt, line[found.end() :], True)
        if first == "&" and line.startswith(BANNER):
            self._time, self._severity, self._is_trt = "", "", False
        return LogLine(number, self._time, self._severity, self._is_trt, line, False)

    def _speaks(self, prefix: re.Match[str] | None) -> None:
        if prefix is not None:
            time, before, self._severity, after = prefix.groups()
            self._time = time or ""
            self._is_trt = before is not None or after is not None


def _visible(raw: bytes) -> Iterator[str]:
    """The text of a line; several where carriage returns in it begin anew, as progress bars do."""
    line = raw.decode("utf-8", "replace")
    if "\r" not in line:
        yield line
        return
    yield from filter(None, line.split("\r"))
