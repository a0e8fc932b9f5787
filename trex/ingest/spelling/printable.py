"""Name in a file → printable name, the spelling by which layers, tensors and profile records are joined."""

from __future__ import annotations

SEPARATORS = "\x1e\x1f"

_ESCAPES = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    for code in (*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000))
}
_MOST = 10_000
"""Separators of a name, and characters by which escapes may lengthen it: one with more is damaged, and each of them
becomes ``?``.
"""
_JOINED = _ESCAPES | dict.fromkeys(map(ord, SEPARATORS), "+")
_KEPT = _ESCAPES | {ord(separator): separator for separator in SEPARATORS}


def printable_name(name: str) -> str:
    """The name without characters that break terminals, SVG or files.

    TensorRT's separators of fused names, 0x1E and 0x1F, become ``+``. Other control characters (C0, DEL, C1) and lone
    surrogates become escapes (``\\x07``, ``\\ud800``). All other characters stay, including spaces.
    """
    return name if name.isprintable() else _escaped(name, _JOINED)


def with_separators(name: str) -> str:
    """As ``printable_name``, but TensorRT's separators stay: they are part of the grammar of fused names."""
    return name if name.isprintable() else _escaped(name, _KEPT)


def _escaped(name: str, escapes: dict[int, str]) -> str:
    escaped = name.translate(escapes)
    if max(len(escaped) - len(name), *map(name.count, SEPARATORS)) <= _MOST:
        return escaped
    return name.translate(dict.fromkeys(_ESCAPES, "?"))
