"""Text → text that is safe and short enough to print."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with every unprintable character written as an escape (``\\x1b``, ``\\n``, ``\\ud800``)."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def clipped(text: str, limit: int) -> str:
    """At most ``limit`` characters, shortened in the middle: messages start with the problem and end with the place."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return f"{text[: limit - tail - 1]}…{text[-tail:]}"
