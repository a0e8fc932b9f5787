"""Repairs: what had to be mended in a text, counted by kind with the place of the first, and told as Notes."""

from __future__ import annotations

from trex.core.errors import EXCERPT_CHARS
from trex.core.note import Note
from trex.ingest.text import address_in

# code → (severity, what is said of one, what is said of many)
_KINDS = {
    "control-characters": (
        "info",
        "a raw control character inside a string was kept",
        "{n} raw control characters inside strings were kept",
    ),
    "not-a-number": ("warning", "one value is nan or infinite", "{n} values are nan or infinite"),
    "trailing-comma": ("info", "a comma before a closing bracket was ignored", "{n} needless commas were ignored"),
    "missing-comma": ("info", "a missing comma was supplied", "{n} missing commas were supplied"),
    "missing-colon": ("warning", "a missing colon was supplied", "{n} missing colons were supplied"),
    "unescaped-quotes": (
        "info",
        "one string holds quotes that are not escaped; it was read to its plausible end",
        "{n} strings hold quotes that are not escaped; they were read to their plausible ends",
    ),
    "bad-escape": (
        "info",
        "a backslash that escapes nothing was kept as it stands",
        "{n} backslashes that escape nothing were kept as they stand",
    ),
    "lone-surrogate": (
        "warning",
        "half a surrogate pair was replaced by U+FFFD",
        "{n} halves of surrogate pairs were replaced by U+FFFD",
    ),
    "several-documents": ("info", "", "the file holds {n} JSON documents one after the other"),
    "surrounding-text": (
        "info",
        "one character outside the JSON was skipped",
        "{n} characters outside the JSON were skipped",
    ),
    "unreadable-text": (
        "warning",
        "one character inside the JSON made no sense and was skipped",
        "{n} characters inside the JSON made no sense and were skipped",
    ),
    "unreadable-value": (
        "warning",
        "one value could not be read and counts as unknown",
        "{n} values could not be read and count as unknown",
    ),
    "missing-value": ("warning", "a key has no value and was left out", "{n} keys have no value and were left out"),
    "unquoted-key": ("info", "a key without quotes was accepted", "{n} keys without quotes were accepted"),
    "duplicate-key": (
        "warning",
        "a key is written twice in one object; the last one counts",
        "{n} keys are written more than once in their objects; the last ones count",
    ),
    "unterminated-string": (
        "warning",
        "a string without its closing quote was ended at its line",
        "{n} strings without their closing quotes were ended at their lines",
    ),
    "missing-bracket": (
        "warning",
        "a missing closing bracket was supplied",
        "{n} missing closing brackets were supplied",
    ),
    "stray-bracket": (
        "warning",
        "a closing bracket too many was skipped",
        "{n} closing brackets too many were skipped",
    ),
    "truncated": ("problem", "the file ends in the middle; everything complete before that was kept", ""),
}

_HINTS = {
    "truncated": "export the file again; a full disk or a killed run leaves such files",
    "not-a-number": "a layer that never ran has no time: profile more iterations",
}

_SHORT_EXCERPT_CHARS = 80


class Repairs:
    """Counts repairs; the number of Notes is bounded by the number of kinds."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where
        self._found: dict[str, list[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, code: str, position: int, count: int = 1) -> None:
        """One more repair (or ``count``) of a kind, at a position in the text."""
        entry = self._found.get(code)
        if entry is None:
            self._found[code] = [count, position]
        else:
            entry[0] += count
            entry[1] = min(entry[1], position)

    def has(self, code: str) -> bool:
        return code in self._found

    def first(self) -> int | None:
        """Position of the first repair, None without any."""
        return min((position for _, position in self._found.values()), default=None)

    def notes(self) -> tuple[Note, ...]:
        """One Note per kind, in the order of their first places."""
        found = sorted(self._found.items(), key=lambda item: item[1][1])
        return tuple(self._note(code, count, position) for code, (count, position) in found)

    def _note(self, code: str, count: int, position: int) -> Note:
        severity, one, many = _KINDS[code]
        message = one if count == 1 or not many else many.format(n=count)
        quoted = excerpt(self.text, position, EXCERPT_CHARS if severity == "problem" else _SHORT_EXCERPT_CHARS)
        first = "first " if count > 1 else ""
        return Note(
            code,
            f"{message} ({first}near {quoted!r})" if quoted else message,
            _HINTS.get(code, ""),
            address_in(self.text, position, self.where),
            severity,
        )


def excerpt(text: str, position: int, chars: int = EXCERPT_CHARS) -> str:
    """At most ``chars`` characters of the text around a position, two thirds of them before it."""
    start = max(0, min(position, len(text)) - chars * 2 // 3)
    return text[start : start + chars].strip()
