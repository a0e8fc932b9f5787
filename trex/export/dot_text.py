"""Any text → a string of the DOT language: nothing from an engine can end it, and none is too long for Graphviz."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from trex.export.escape import printable_xml

# Graphviz's scanner holds 16 384 bytes (YY_BUF_SIZE of its flex); older releases refuse strings that do not fit.
MAX_BYTES = 12_000
# Of this many characters none needs more than five bytes, however they are escaped.
_SURELY_FITS = MAX_BYTES // 5
_MAX_LINE = 2_000
# https://graphviz.org/doc/info/shapes.html#html; without IMG, which would have Graphviz open files.
_HTML_TAGS = frozenset(["TABLE", "TR", "TD", "FONT", "BR", "I", "B", "U", "O", "SUB", "SUP", "S", "HR", "VR"])
_PLAIN_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS = frozenset(("node", "edge", "graph", "digraph", "subgraph", "strict"))


def dot_string(text: str) -> str:
    """The text in quotes, at most about 12 000 bytes; lines of more than 2 000 characters lose their middle.

    Line breaks become ``\\n``; a backslash, ``&`` and control characters are shown as themselves or as pictures.
    What is left out is counted: ``… 1234 characters more``.
    """
    if len(text) > _SURELY_FITS:
        text = "\n".join(map(_shorter, text.split("\n")))
    escaped = _escaped(text)
    if len(text) > _SURELY_FITS and len(escaped.encode("utf-8", "replace")) > MAX_BYTES:
        escaped = _escaped(f"{text[:_SURELY_FITS]}… {len(text) - _SURELY_FITS} characters more")
    return f'"{escaped}"'


def _shorter(line: str) -> str:
    if len(line) <= _MAX_LINE:
        return line
    tail = _MAX_LINE // 4
    head = _MAX_LINE - tail
    return f"{line[:head]}… {len(line) - _MAX_LINE} characters more …{line[-tail:]}"


def _escaped(text: str) -> str:
    if not text.isprintable():
        text = printable_xml(text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " "))
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if '"' in text:
        text = text.replace('"', '\\"')
    # Graphviz reads entities in all strings.
    if "&" in text:
        text = text.replace("&", "&amp;")
    return text.replace("\n", "\\n")


def dot_value(value: Any) -> str:
    """An attribute's value: HTML-like text (``<<B>…</B>>``) as it stands, if Graphviz can read it; else a string.

    HTML-like text is for those who wrote it by hand: it is taken only when it is well-formed, short enough, and made
    of the elements that Graphviz knows, pictures left out.
    """
    text = str(value)
    return text if is_html_like(text) else dot_string(text)


def is_html_like(text: str) -> bool:
    if not (text.startswith("<") and text.endswith(">") and text[1:].lstrip().startswith("<")):
        return False
    if len(text) > _SURELY_FITS and len(text.encode("utf-8", "replace")) > MAX_BYTES:
        return False
    if "<!" in text or "<?" in text:
        return False
    try:
        root = ElementTree.fromstring(f"<label>{text[1:-1]}</label>")
    except (ElementTree.ParseError, ValueError):
        return False
    elements = list(root.iter())[1:]
    return bool(elements) and all(element.tag.upper() in _HTML_TAGS for element in elements)


def dot_id(name: str) -> str:
    """A name for an attribute or a node: as it stands where it is plain, else quoted."""
    return name if _PLAIN_ID.fullmatch(name) and name.lower() not in _KEYWORDS else dot_string(name)


def dot_attributes(attributes: Mapping[str, Any]) -> str:
    """``[a="1", b="2"]``, in the mapping's order; None values are left out."""
    shown = [f"{dot_id(str(name))}={dot_value(value)}" for name, value in attributes.items() if value is not None]
    return f"[{', '.join(shown)}]"
