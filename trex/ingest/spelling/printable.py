"""Name in a file → printable name, the spelling by which layers, tensors and profile records are joined."""

from __future__ import annotations

import re

SEPARATORS = "\x1e\x1f"

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def printable_name(name: str) -> str:
    """The name without characters that break terminals, SVG or files.

    TensorRT's separators of fused names, 0x1E and 0x1F, become ``+``. Other control characters (C0, DEL, C1) and lone
    surrogates become escapes (``\\x07``, ``\\ud800``). All other characters stay, including spaces.
    """
    if name.isprintable():
        return name
    return _UNPRINTABLE.sub(_escaped, name)


def with_separators(name: str) -> str:
    """As ``printable_name``, but TensorRT's separators stay: they are part of the grammar of fused names."""
    if name.isprintable():
        return name
    return _UNPRINTABLE.sub(lambda match: match[0] if match[0] in SEPARATORS else _escaped(match), name)


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    if character in SEPARATORS:
        return "+"
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
