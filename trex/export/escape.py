"""Any text → text that XML may hold: nothing from an engine can end an element or hide in one."""

from __future__ import annotations

import re

BIDI = "\u202a-\u202e\u2066-\u2069"
"""For a class of characters: what reorders the text after it, so that a name reads as another one."""
# XML 1.0 (fifth edition), section 2.2: what is not a character of a document, control characters above all. C1
# controls are allowed but discouraged, and unreadable.
_NO_CHARACTER = f"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff{BIDI}"
_SPECIAL = re.compile(f"[&<>\"'{_NO_CHARACTER}]")
_UNHOLDABLE = re.compile(f"[{_NO_CHARACTER}]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_CONTROL_PICTURES = 0x2400
_REPLACEMENT = "\ufffd"


def xml_text(text: str) -> str:
    """Text for the content or a quoted attribute of an element.

    Control characters become their pictures (``␞`` for U+001E, with which TensorRT separates names); what has none,
    such as half a surrogate pair or a change of the direction of writing, becomes U+FFFD. In an attribute, a parser
    turns line breaks into spaces.
    """
    return _SPECIAL.sub(_replaced, text) if _SPECIAL.search(text) else text


def printable_xml(text: str) -> str:
    """The text with what is replaced in ``xml_text`` replaced, but nothing escaped."""
    return _UNHOLDABLE.sub(_replaced, text)


def _replaced(match: re.Match[str]) -> str:
    character = match[0]
    entity = _ENTITIES.get(character)
    if entity is not None:
        return entity
    code = ord(character)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    return "␡" if code == 0x7F else _REPLACEMENT
