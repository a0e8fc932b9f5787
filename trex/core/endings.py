"""Text → text without an ending. Searching for a pattern that ends in ``$`` would try every character of a long name
and, at each of a hundred thousand dots, all that follow.
"""

from __future__ import annotations

import re


def without_ending(text: str, backwards: re.Pattern[str]) -> str:
    """backwards: the ending as it reads from the last character on, such as ``\\d+_`` for ``_12``."""
    match = backwards.match(text[::-1])
    return text if match is None else text[: len(text) - match.end()]
