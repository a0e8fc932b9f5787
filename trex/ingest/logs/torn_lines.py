"""Lines that two streams wrote into one file → whole lines.

trtexec's warnings go to stderr at once, the rest to stdout in blocks of some kilobytes that end anywhere: in a file of
both, a warning may stand in the middle of another line, whose rest begins the line after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLOCK = r"\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d(?:\.\d{1,9})?\]"
_PREFIX = re.compile(_CLOCK + r" ?(?:\[TRT\] )?\[([VIWEF])\]", re.ASCII)
# Where a prefix was cut: nothing that follows may complete it but the rest of one.
_CUT_PREFIX = re.compile(r"\[[\d/:.-]*\]?(?: ?\[(?:T?R?T?\]? ?\[?|[VIWEF]?))?$", re.ASCII)
_CENTURY = b"/20"  # of a clock's year: what a line without a second clock hardly has
_BEYOND_FIRST_CLOCK = 7
_WARNINGS = frozenset("WEF")
_LONGEST = 1 << 16
_MOST_BETWEEN = 1000


def may_be_torn(line: bytes) -> bool:
    """False for a line that no other ran into: the question is cheap, and the answer for nearly all lines."""
    return line.find(_CENTURY, _BEYOND_FIRST_CLOCK) >= 0


class TornLines:
    """Takes the lines of a file in order and gives them back whole.

    held: the beginning of a line that another one ran into, "" when there is none; it is given when its rest has
    come, or when the next line of its own stream shows that none will.
    """

    def __init__(self) -> None:
        self.held = ""
        self._between = 0

    def whole(self, line: str) -> Iterator[str]:
        while (inner := _PREFIX.search(line, 1)) is not None:
            fragment, line = line[: inner.start()], line[inner.start() :]
            if self.held and (_PREFIX.match(fragment) or len(self.held) > _LONGEST):
                yield self.held
                self.held = ""
            self.held += fragment
            self._between = 0
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
        """What is held, whose rest did not come."""
        if self.held:
            held, self.held = self.held, ""
            yield held

    def _is_warning(self) -> bool:
        own = _PREFIX.match(self.held)
        return own is not None and own[1] in _WARNINGS
