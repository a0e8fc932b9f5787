"""Log bytes → LogLines: who said what, one line at a time."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trex.ingest.finding.signature import is_wide_text
from trex.ingest.text import decode

BANNER = "&&&&"

_PREFIX = re.compile(
    r"(?:\[(\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d(?:\.\d{1,9})?)\] ?)?"  # trtexec and trt.Logger; absent with TensorRT for RTX
    r"(\[TRT\] )?\[([VIWEF])\]( \[TRT\])?(?: |$)",
    re.ASCII,
)
# Continuous-integration services and container runtimes put their own clock in front of every line.
_OUTER_CLOCK = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? ", re.ASCII)
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_SNIFFED_BYTES = 64


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


def log_lines(data: bytes, where: str = "") -> Iterator[LogLine]:
    """The lines of a TensorRT log, in order, read one at a time: nothing but the current line is copied.

    Understands trtexec's prefix (``[time] [I] [TRT] text``), the Python logger's (``[time] [TRT] [I] text``) and one
    without a clock (``[I] text``); removes terminal colours, carriage returns and the clocks of CI services. Lines are
    split at line feeds only: TensorRT's own separators 0x1E and 0x1F stay in the text.
    Raises TrexError for bytes that are no text in a known encoding (see ``trex.ingest.source.decode``).
    """
    time, severity, is_trt = "", "", False
    match = _PREFIX.match
    for number, line in enumerate(_text_lines(data, where), 1):
        if "\x1b" in line:
            line = _ESCAPE.sub("", line)
        first = line[:1]
        if first == "2" and (clock := _OUTER_CLOCK.match(line)):
            line = line[clock.end() :]
            first = line[:1]
        found = match(line) if first == "[" else None
        if found is not None:
            clock_text, before, severity, after = found.groups()
            time = clock_text or ""
            is_trt = before is not None or after is not None
            yield LogLine(number, time, severity, is_trt, line[found.end() :], True)
            continue
        if first == "&" and line.startswith(BANNER):
            time, severity, is_trt = "", "", False
        yield LogLine(number, time, severity, is_trt, line, False)


def _text_lines(data: bytes, where: str) -> Iterator[str]:
    lines: Iterable[str]
    if is_wide_text(data[:_SNIFFED_BYTES]):
        text, _ = decode(data, where)
        lines = io.StringIO(text, newline="\n")
    else:
        lines = (raw.decode("utf-8", "replace") for raw in io.BytesIO(data))
    for number, line in enumerate(lines):
        yield line.rstrip("\r\n").removeprefix("\ufeff") if number == 0 else line.rstrip("\r\n")
