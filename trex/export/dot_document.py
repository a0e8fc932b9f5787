"""DotDocument: a DOT graph that can be saved, rendered and added to, as ``graphviz.Digraph`` can."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.whole_file import write_whole
from trex.export.dot import document
from trex.export.dot_pictures import has_graphviz, picture_of
from trex.export.dot_text import dot_attributes, dot_string
from trex.export.svg_picture import FORMATS, picture_of_svg

# Graphviz's pictures of more layers take long and read badly; our own layout draws them.
MOST_FOR_GRAPHVIZ = 300
# What our own layout can be written as.
OURS = ("svg", *FORMATS)


class DotDocument:
    """What ``to_dot`` returns where the package ``graphviz`` is not installed; the same text, the same methods.

    body: its statements, a line each, to which more may be added. picture: makes the SVG without Graphviz.
    """

    format = "svg"
    directory = ""

    def __init__(self, name: str, body: Iterable[str] = (), picture: Callable[[], str] | None = None) -> None:
        self.name = name or "engine"
        self.body = list(body)
        self.picture = picture

    @property
    def source(self) -> str:
        """The whole text."""
        return document(self.name, self.body)

    def __str__(self) -> str:
        return self.source

    def __iter__(self) -> Iterator[str]:
        return iter(self.source.splitlines())

    def node(self, name: str, label: str | None = None, **attributes: Any) -> None:
        """Adds a node, or attributes to one."""
        self.body.append(f"\t{dot_string(name)} {dot_attributes({'label': label, **attributes})}\n")

    def edge(self, tail_name: str, head_name: str, label: str | None = None, **attributes: Any) -> None:
        """Adds an edge."""
        look = dot_attributes({"label": label, **attributes})
        self.body.append(f"\t{dot_string(tail_name)} -> {dot_string(head_name)} {look}\n")

    def attr(self, kw: str | None = None, **attributes: Any) -> None:
        """Sets attributes of the graph, or of all nodes or edges that follow."""
        self.body.append(f"\t{kw if kw in ('node', 'edge') else 'graph'} {dot_attributes(attributes)}\n")

    def save(self, filename: str | Path | None = None, directory: str | Path | None = None) -> str:
        """Writes the text (by default as NAME.gv) and returns the path. Raises TrexError."""
        path = Path(directory or self.directory) / (filename or f"{Path(self.name).name}.gv")
        return str(write_whole(path, self.source))

    def pipe(self, format: str | None = None, encoding: str | None = None, **_: Any) -> bytes | str:
        """The picture, as bytes or, with an encoding, as text. Raises TrexError when it needs Graphviz."""
        content = picture_bytes(self, format or self.format)
        return content.decode(encoding) if encoding else content

    def render(
        self,
        filename: str | Path | None = None,
        directory: str | Path | None = None,
        *,
        outfile: str | Path | None = None,
        format: str | None = None,
        cleanup: bool = False,
        **_: Any,
    ) -> str:
        """Writes the picture and, next to it, the text unless ``cleanup``; returns the picture's path.

        outfile: the picture's path, from whose ending the format is taken. filename: the text's path, to which the
        format is added for the picture. Raises TrexError for a format that needs Graphviz where it is absent.
        """
        if outfile is not None:
            path = Path(outfile)
            format = format or path.suffix.removeprefix(".").lower()
            text = path.with_suffix(".gv")
        else:
            text = Path(directory or self.directory) / (filename or f"{Path(self.name).name}.gv")
            format = format or self.format
            path = text.with_name(f"{text.name}.{format}")
        content = picture_bytes(self, format)
        if not cleanup:
            write_whole(text, self.source)
        return str(write_whole(path, content))

    def _repr_mimebundle_(self, *_: Any, **__: Any) -> dict[str, str]:
        return {"image/svg+xml": picture_bytes(self, "svg").decode("utf-8")}


def make_dot(name: str, body: list[str], picture: Callable[[], str] | None, nodes: int) -> Any:
    """A ``graphviz.Digraph`` where that package is installed, else a DotDocument, of the same text.

    nodes: how many there are, which decides who draws the SVG.
    """
    dot: Any = None
    try:
        import graphviz
    except ImportError:
        dot = DotDocument(name, body, picture)
    else:
        dot = graphviz.Digraph(name=name or "engine", format="svg")
        dot.body.extend(body)
        dot.picture = picture
    dot.is_large = nodes > MOST_FOR_GRAPHVIZ
    return dot


def picture_bytes(dot: Any, format: str) -> bytes:
    """The picture of a DotDocument or a graph of the package ``graphviz``.

    SVG, PNG and PDF are drawn by Graphviz where it is installed and the graph is small; else by our own layout, which
    takes layers' words and colors from the functions given and no other attributes. Raises TrexError where an extra is
    missing.
    """
    if format in ("dot", "gv"):
        return str(dot.source).encode("utf-8", "replace")
    picture = getattr(dot, "picture", None)
    if picture is None or format not in OURS:
        return picture_of(dot.source, format)
    if getattr(dot, "is_large", False) or not has_graphviz():
        return _own_picture(picture, format)
    try:
        return picture_of(dot.source, format)
    except TrexError:
        # A picture in our own manner is better than none.
        return _own_picture(picture, format)


def _own_picture(picture: Callable[[], str], format: str) -> bytes:
    svg = picture()
    return svg.encode("utf-8", "replace") if format == "svg" else picture_of_svg(svg, format)


def write_picture(dot: Any, path: str | Path, format: str) -> Path:
    """Writes the picture, whole or not at all, and returns its path. Raises TrexError as ``picture_bytes`` does."""
    return write_whole(path, picture_bytes(dot, format))
