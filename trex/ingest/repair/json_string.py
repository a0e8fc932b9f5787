"""Where a JSON string ends when its quotes may not be escaped, and what it says."""

from __future__ import annotations

import re
from typing import Final

_SPACE = r"[ \t\r\n]*"
_COMMAS = r",[ \t\r\n,]*"
_KEY = rf'"[^"\n]*"{_SPACE}:'
_AFTER_CLOSER = rf"(?:{_SPACE}(?:[,\]}}{{\[&]|\Z|{_KEY})|[ \t]*[\r\n])"
_VALUE = r"(?:[\"{\[\]\-0-9]|true|false|null|nan|inf|NaN|Infinity|\Z)"

# What must follow a quote for it to be the end of a string, by where the string stands.
_FOLLOWERS = {
    "key": rf"{_SPACE}(?::|\Z)",
    "member": (
        rf"{_SPACE}(?:\}}{_AFTER_CLOSER}|{_COMMAS}(?:\"[^\"\n]*(?:\"{_SPACE}(?::|\Z)|\Z)|[}}\]{{]|\Z)|{_KEY}|\Z)"
    ),
    "item": rf"(?:{_SPACE}(?:\]{_AFTER_CLOSER}|{_COMMAS}{_VALUE}|\Z)|[ \t]*\r?\n{_SPACE}\")",
}
_ENDS = {place: re.compile(rf'"(?={followers})') for place, followers in _FOLLOWERS.items()}
# A line that begins like the next record, the next member, or the end of the record.
_NEXT_RECORD = re.compile(
    r'\r?\n(?=[ \t]*(?:,[ \t]*)?(?:\{[ \t]*)?"[^"\n]*"[ \t]*:|[ \t]*[}\]][ \t]*,?[ \t]*(?:[\r\n]|\Z))'
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.)|\Z)", re.DOTALL)
_PLAIN: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPED_SURROGATE = re.compile(
    r"\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_MAYBE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class _Next:
    """The next match of a pattern at or after a position; asked with growing positions it reads the text once."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self.pattern = pattern
        self.text = text
        self.searched_from = 0
        self.found = -1

    def at(self, position: int) -> int:
        """Position of the match, len(text) when there is none."""
        if self.searched_from <= position <= self.found:
            return self.found
        match = self.pattern.search(self.text, position)
        self.searched_from = position
        self.found = match.start() if match else len(self.text)
        return self.found


class StringEnds:
    """Finds the ends of strings in one text.

    A quote ends a string only if what follows makes sense there: after a key a colon, after an object's value a
    brace or a comma with the next key, after a list's item a bracket or a comma with the next value. Whether a quote
    is such an end does not depend on where its string began, so all searches together read the text once.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends = {place: _Next(pattern, text) for place, pattern in _ENDS.items()}
        self._next_record = _Next(_NEXT_RECORD, text)

    def find(self, start: int, place: str) -> tuple[int, bool]:
        """(position of the end, whether there is a closing quote) of a string whose first character is at ``start``.

        place: ``key``, ``member`` (an object's value) or ``item``. The position is len(text) for a string that never
        ends.
        """
        text = self.text
        end = self._ends[place].at(start)
        if end == len(text):
            first = text.find('"', start)
            end = first if first >= 0 else end
        line = text.find("\n", start, end)
        if line >= 0:
            record = self._next_record.at(max(start, line - 1))
            if record < end:
                return record, False
        return end, end < len(text)


def unescape(raw: str) -> tuple[str, int]:
    """(what a string says, how many of its backslashes escape nothing and were kept)."""
    if "\\" not in raw:
        return raw, 0
    bad = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal bad
        code, char = match.groups()
        if code is not None:
            return chr(int(code, 16))
        plain = _PLAIN.get(char or "")
        if plain is None:
            bad += 1
            return match[0]
        return plain

    text = _ESCAPE.sub(replaced, raw)
    if _has_surrogates(text):
        # Pairs were made whole before; whatever is left is half of one.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text, bad


def mend_surrogates(text: str) -> tuple[str, int, int]:
    """(text of the same length, count, first position): escaped halves of surrogate pairs become U+FFFD escapes."""
    if _MAYBE_SURROGATE.search(text) is None:
        return text, 0, 0
    count = 0
    first = len(text)

    def replaced(match: re.Match[str]) -> str:
        nonlocal count, first
        if match[2] is None:
            return match[0]
        count += 1
        first = min(first, match.start())
        return "\\ufffd"

    return _ESCAPED_SURROGATE.sub(replaced, text), count, first


def _has_surrogates(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
