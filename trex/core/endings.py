"""Text → text without an ending. Searching for a pattern that ends in ``$`` would try every character of a long name
and, at each of a hundred thousand dots, all that follow. A repeated group would keep a hundred bytes for each time.
"""

from __future__ import annotations

import re


def without_ending(text: str, backwards: re.Pattern[str]) -> str:
    """backwards: one ending as it reads from the last character on, such as ``\\d+_`` for ``_12``; all are removed."""
    reverse, end = text[::-1], 0
    while match := backwards.match(reverse, end):
        end = match.end()
    return text[: len(text) - end]
