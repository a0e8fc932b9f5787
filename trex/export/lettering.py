"""Text → text of a given width in the cells of a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import combining, east_asian_width

from trex.core.printable import printable

ELLIPSIS = "…"
LEAST_WIDTH = 20


def cell_width(text: str) -> int:
    """Cells of a terminal that the text takes: East Asian wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def _width(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def elided(text: str, width: int) -> str:
    """At most ``width`` cells, the middle left out: names differ at both ends."""
    if len(text) <= width and (text.isascii() or cell_width(text) <= width):
        return text
    if width < 2:
        return ELLIPSIS[:width]
    tail = (width - 1) // 2
    return f"{_head(text, width - 1 - tail)}{ELLIPSIS}{_head(text[::-1], tail)[::-1]}"


def _head(text: str, width: int) -> str:
    """As many characters from the start as fit."""
    used = 0
    for index, character in enumerate(text):
        used += _width(character)
        if used > width:
            return text[:index]
    return text


def padded(text: str, width: int, right: bool = False) -> str:
    """The text filled up with blanks to ``width`` cells."""
    blanks = " " * (width - cell_width(text))
    return blanks + text if right else text + blanks


def narrower(width: int | None, cells: int) -> int | None:
    """What is left of a width, at least 20 cells; None of any width."""
    return None if width is None else max(width - cells, LEAST_WIDTH)


_BREAK = re.compile(r" (?!%(?:\W|$))")
"""Between words, but not between a number and its percent sign."""
_MOST_PER_CELL = 4
"""Letters that are looked at for each cell of a line; marks above and below letters take none."""
_LAST_JOINT = re.compile(r".*[/_\\]")
"""Where a path or a name that is too long for a line is broken."""


def wrapped(text: str, width: int | None, indent: int = 0) -> Iterator[str]:
    """Printable lines of at most ``width`` cells broken between words, those after the first indented.

    A word that is too long for a line of its own is broken, behind a slash or an underscore where that leaves half of
    it: a path that runs out of the window cannot be read either.
    width: None for one line.
    """
    text = printable(text)
    if width is None:
        yield text
        return
    room, line, used = width, "", 0
    hanging = " " * indent
    for word in _BREAK.split(text):
        size = cell_width(word)
        if line and used + 1 + size <= room:
            line, used = f"{line} {word}", used + 1 + size
            continue
        if line:
            yield line
            line = hanging
        used, start = cell_width(line), 0
        while used + size > room > indent + 1:
            part = _head(word[start : start + _MOST_PER_CELL * room], room - used) or word[start]
            if (joint := _LAST_JOINT.match(part)) and joint.end() * 2 > len(part):
                part = part[: joint.end()]
            yield line + part
            start, size = start + len(part), size - cell_width(part)
            line, used = hanging, indent
        line += word[start:]
        used += size
    yield line
