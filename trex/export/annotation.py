"""Annotation: one workflow command of GitHub (``::warning title=…::…``), which no text from an engine can leave."""

from __future__ import annotations

from trex.core.printable import printable


def annotation(command: str, title: str, message: str) -> str:
    """command: ``notice``, ``warning`` or ``error``. message: may have several lines."""
    return f"::{command} title={_encoded(printable(title), ':,')}::{_encoded(message)}"


def _encoded(text: str, more: str = "") -> str:
    """Percent-encoded where the form asks for it: ``%`` and line breaks, in properties ``:`` and ``,`` as well."""
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
