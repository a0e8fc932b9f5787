"""Text → text that is safe and short enough to print."""

from __future__ import annotations

import shlex
import string
from collections.abc import Iterable

_PLAIN = frozenset(string.ascii_letters + string.digits + " /.,-+=%@")


def printable(text: str) -> str:
    """The text with every unprintable character written as an escape (``\\x1b``, ``\\n``, ``\\ud800``)."""
    if text.isprintable():
        return text
    escapes = {ord(c): c.encode("unicode_escape").decode("ascii") for c in set(text) if not c.isprintable()}
    return text.translate(escapes)


def encodable(text: str) -> str:
    """The text with halves of surrogate pairs as escapes (``\\udce9``), which no encoding can write.

    JSON may contain them (``"\\ud800"``), and the system writes bytes of names that are no UTF-8 with them.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def clipped(text: str, limit: int) -> str:
    """At most ``limit`` characters, shortened in the middle: messages start with the problem and end with the place."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return f"{text[: limit - tail - 1]}…{text[-tail:]}"


def operand(path: object) -> str:
    """The path as a word that no program takes for an option: ``./-x`` for ``-x``."""
    text = str(path)
    return f"./{text}" if text.startswith("-") else text


def shell_word(text: str) -> str:
    """The text as one word of bash, to print and to paste: of characters that no terminal and no CI log obeys.

    Where quotes would keep such characters (control characters, bytes that are no UTF-8), it is written ``$'a\\x0ab'``.
    """
    if text.isprintable() and "##" not in text and "section_" not in text:
        return shlex.quote(text)
    pieces = (char if char in _PLAIN or (char.isalpha() and char.isprintable()) else _in_hex(char) for char in text)
    return "$'" + "".join(pieces) + "'"


def _in_hex(char: str) -> str:
    is_byte = "\udc80" <= char <= "\udcff"  # of a name that is no UTF-8; other surrogates come from JSON
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass"))


def shell_line(words: Iterable[str]) -> str:
    return " ".join(map(shell_word, words))
