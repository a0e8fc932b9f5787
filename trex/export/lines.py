"""Line: text in pieces, each with the role it plays; a shell gives roles their colors, a file leaves them away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trex.export.lettering import cell_width, narrower, wrapped

# (text, role): title, heading, header, rule, label, bar, dim, statement, problem, warning, info, command or "".
Line = list[tuple[str, str]]


def plain(lines: Iterable[Line]) -> str:
    """The lines as text without styles, each ending in a newline."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


def labeled(label: str, text: str, width: int | None, role: str = "") -> Iterator[Line]:
    """A label, and the text to the right of it, with hanging indent; a line break of the text begins a new line."""
    indent = cell_width(label)
    for paragraph in text.split("\n"):
        for line in wrapped(paragraph, narrower(width, indent)):
            yield [(label, "label"), (line, role)]
            label = " " * indent
