"""Docstring of a rule's file → its sections: what it finds, why it matters, what to try, where it does not apply."""

from __future__ import annotations

import re
from functools import lru_cache

HEADINGS = ("What it finds", "Why it matters", "What to try", "Does not apply")
_HEADING = re.compile(rf"^({'|'.join(HEADINGS)}):[ \t]*", re.MULTILINE)


@lru_cache(maxsize=1024)
def rule_sections(doc: str) -> dict[str, str]:
    """{heading: text} in the docstring's order; paragraphs are lines, indented lines stay as they are."""
    pieces = _HEADING.split(doc)[1:]
    return {heading: reflowed(text) for heading, text in zip(pieces[::2], pieces[1::2])}


def reflowed(text: str) -> str:
    """One line per paragraph; empty lines, list items and indented lines start another."""
    lines: list[str] = []
    is_open = False
    for line in text.replace("``", "`").strip("\n").splitlines():
        if line.strip() and is_open and not line.startswith(("    ", "- ")):
            lines[-1] += f" {line.strip()}"
        elif line.strip():
            lines.append(line if line.startswith("    ") else line.strip())
        is_open = bool(line.strip()) and not line.startswith("    ")
    return "\n".join(lines)
