"""Interleaved lines of stdout and stderr → whole lines.

trtexec writes warnings to stderr at once and the rest to stdout in blocks of some kilobytes that end anywhere. In a
file of both, a warning may be in the middle of another line, whose rest begins the next line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLOCK = r"\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d(?:\.\d{1,9})?\]"
_PREFIX = re.compile(_CLOCK + r" ?(?:\[TRT\] )?\[([VIWEF])\]", re.ASCII)
# A truncated prefix: only the rest of a prefix may follow.
_CUT_PREFIX = re.compile(r"\[[\d/:.-]*\]?(?: ?\[(?:T?R?T?\]? ?\[?|[VIWEF]?))?$", re.ASCII)
_CENTURY = b"/20"  # of a clock's year: rare in lines without a second clock
_BEYOND_FIRST_CLOCK = 7
_WARNINGS = frozenset("WEF")
_LONGEST = 1 << 16
_MOST_BETWEEN = 1000


def may_be_interleaved(line: bytes) -> bool:
    """Whether another line may be in the middle of this one; a fast check that is False for nearly all lines."""
    return line.find(_CENTURY, _BEYOND_FIRST_CLOCK) >= 0


class InterleavedLines:
    """Takes the lines of a file in order and returns whole lines.

    held: the beginning of a line that another line interrupted, "" if there is none. It is returned once its rest
    comes, or once the next line of its own stream shows that none will.
    """

    def __init__(self) -> None:
        self.held = ""
        self._between = 0

    def whole(self, line: str) -> Iterator[str]:
        start = 0
        while (inner := _PREFIX.search(line, start + 1)) is not None:
            fragment, start = line[start : inner.start()], inner.start()
            if self.held and (_PREFIX.match(fragment) or len(self.held) > _LONGEST):
                yield self.held
                self.held = ""
            self.held += fragment
            self._between = 0
        line = line[start:]
        if not self.held:
            yield line
            return
        own = _PREFIX.match(line)
        if own is not None or line.startswith("&&&& "):
            self._between += 1
            if own is None or self._between > _MOST_BETWEEN or (own[1] in _WARNINGS) is self._is_warning():
                yield from self.rest()
            yield line
            return
        joined = self.held + line
        if _CUT_PREFIX.match(self.held) and not _PREFIX.match(joined):
            yield line
            return
        self.held = ""
        yield joined

    def rest(self) -> Iterator[str]:
        """The held beginning of a line whose rest did not come."""
        if self.held:
            held, self.held = self.held, ""
            yield held

    def _is_warning(self) -> bool:
        own = _PREFIX.match(self.held)
        return own is not None and own[1] in _WARNINGS
