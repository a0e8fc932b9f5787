"""Prefixes that other programs add to every line of a log, learned from its first lines.

Container runtimes, journals, ``mpirun --tag-output``, CI services and Python's ``logging`` add a clock, a host, a rank
or a level. A text that repeats before TensorRT's own prefix, apart from its numbers, is such a prefix.
"""

from __future__ import annotations

import re
from collections import Counter

_CLOCK = rb"\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d(?:\.\d{1,9})?\]"
_FIRST_WORDS = re.compile(
    rb"^([^\n]{0,160}?)(?:"
    + _CLOCK
    + rb" ?\[(?:TRT|[VIWEF])\]|\[TRT\] \[[VIWEF]\]|\[[VIWEF]\] |&&&& [A-Z_]+ TensorRT)",
    re.MULTILINE,
)
# The beginning of TensorRT's own prefix: in an interleaved line it precedes that of the other line.
_OWN = re.compile(rb"\[(?:[\d/:.-]*|" + _CLOCK + rb".*|TRT\].*|[VIWEF]\].*)$", re.DOTALL)
_TOKEN = re.compile(
    rb"\d+|[ \t]+|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b"
    rb"|\b(?:stdout|stderr|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|NOTICE)\b",
    re.IGNORECASE,
)
_MIN_COUNT = 3
_MOST_SHAPES = 8


def learned_prefix(head: bytes) -> re.Pattern[bytes] | None:
    """A pattern of the prefixes of other programs; None if the lines begin with TensorRT's own prefix.

    head: the first lines of the log, in UTF-8 and without colors. A shape counts if it occurs three times, or on all
    of TensorRT's lines.
    """
    shapes: Counter[bytes] = Counter()
    total = 0
    for match in _FIRST_WORDS.finditer(head):
        total += 1
        text = match[1]
        if text and not _OWN.match(text):
            shapes[_shape(text)] += 1
    counts = [shape for shape, count in shapes.most_common(_MOST_SHAPES) if count >= _MIN_COUNT or count == total]
    if not counts:
        return None
    counts.sort(key=len, reverse=True)
    return re.compile(rb"^(?:" + rb"|".join(counts) + rb")", re.MULTILINE)


def _shape(text: bytes) -> bytes:
    """A pattern of the text in which numbers, blanks, months, days and levels vary."""
    parts: list[bytes] = []
    end = 0
    for token in _TOKEN.finditer(text):
        parts.append(re.escape(text[end : token.start()]))
        first = token[0][:1]
        parts.append(rb"\d+" if first.isdigit() else rb"[ \t]+" if first.isspace() else rb"[A-Za-z]+")
        end = token.end()
    return b"".join((*parts, re.escape(text[end:])))
