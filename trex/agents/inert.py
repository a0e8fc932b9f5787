"""Values of engine files → values for an agent: bounded, without characters that it would not see, rounded."""

from __future__ import annotations

import math
import re
from typing import Any

from trex.core.printable import clipped

LONGEST_TEXT = 300
"""Characters of one text; the middle of longer ones is left out."""
DIGITS = 5

_LETTERS_PER_TOKEN = 2.5
# Marks that change the look of the letter before them; they can also hide text.
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]+")


def tokens_of(text: str) -> int:
    """An estimate from above: 2.5 ASCII characters are one token, each byte of other characters is one.

    Answers about 18 real engines have 2.7 to 3.9 characters a token by ``o200k_base`` and ``cl100k_base``; names of
    random letters can have fewer than 2.5.
    """
    size = len(text.encode("utf-8", "replace"))
    ascii_size = sum(1 for char in text if char < "\x80") if size != len(text) else size
    return math.ceil(ascii_size / _LETTERS_PER_TOKEN) + size - ascii_size


def inert(value: Any, longest: int = LONGEST_TEXT) -> Any:
    """JSON-ready data as an agent may see it: texts by ``inert_text``, numbers with five digits."""
    if isinstance(value, str):
        return inert_text(value, longest)
    if isinstance(value, dict):
        return {inert_text(str(key), longest): inert(item, longest) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [inert(item, longest) for item in value]
    if isinstance(value, float):
        return _rounded(value)
    return value


def inert_text(text: str, longest: int = LONGEST_TEXT) -> str:
    """At most so many characters, with one ``�`` for each run of control, format, private or unassigned ones.

    Line breaks stay, so that guides can be read; JSON writes them as an escape.
    """
    text = clipped(text, longest)
    if not text.isprintable():
        text = "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)
        text = re.sub("\ufffd+", "\ufffd", text)
    return _SELECTORS.sub("\ufffd", text)


def _rounded(value: float) -> float | None:
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return rounded if math.isfinite(rounded) else None  # the largest float is rounded up
