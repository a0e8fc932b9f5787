"""Line: text in pieces, each with the role it plays; a shell gives roles their colors, a file leaves them away."""

from __future__ import annotations

from collections.abc import Iterable

# (text, role): title, heading, header, rule, label, bar, dim, statement, problem, warning, info, command or "".
Line = list[tuple[str, str]]


def plain(lines: Iterable[Line]) -> str:
    """The lines as text without styles, each ending in a newline."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)
