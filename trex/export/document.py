"""Document → file: the formats, one file each, and what they are given.

``trex.export.documents`` renders any document. ``trex.export.exporters`` writes formats of other tools (SARIF, JUnit,
traces …), each for the commands whose documents it understands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.registry import Plug, Registry
from trex.core.steps import counter, is_watched
from trex.core.whole_file import write_whole
from trex.export.figures.look import Look
from trex.views.document import Block, Document, PlotBlock, SceneBlock, TableBlock, limited


@dataclass(frozen=True, slots=True)
class RenderStyle:
    """How a document is rendered.

    look: colors and fonts of charts. verbose: notes and details too. limit: rows of each table, None for all.
    fields: paths of the parts that JSON keeps, or the key of the table that CSV and Parquet write; empty for all.
    width: columns of a terminal, None for any width.
    """

    look: Look = field(default_factory=Look)
    verbose: bool = True
    limit: int | None = None
    fields: tuple[str, ...] = ()
    width: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """suffixes: file name endings, the usual one first. render: the file's content. is_text: fit for a terminal.

    commands: whose documents it can write; empty for all.
    """

    suffixes: tuple[str, ...]
    render: Callable[[Document, RenderStyle], str | bytes]
    is_text: bool = True
    commands: tuple[str, ...] = ()


SHARED_ENDINGS = ("json", "xml")
"""Endings that formats of other tools share: ``x.sarif.json`` is no JSON of trex."""
FORMATS = Registry("trex.export.documents", "FORMAT", kind=DocumentFormat)
_LAZY_BLOCKS = (PlotBlock, TableBlock, SceneBlock)
"""Blocks that are computed when a renderer asks for them."""
_SCENE = 30.0
"""How many charts take as long as the graphs of a large engine."""
EXPORTERS = Registry("trex.export.exporters", "FORMAT", kind=DocumentFormat)


def format_names(command: str = "") -> tuple[str, ...]:
    """Names of the formats that documents of a command can be written in; of all commands without one."""
    if not command:
        return (*FORMATS.known_names, *EXPORTERS.known_names)
    return tuple(plug.name for plug in _formats(command))


def format_of(path: str | Path, command: str, otherwise: str = "") -> Plug:
    """The format whose ending the file has, the longest that fits, else the one of that name.

    Raises TrexError with the endings if there is none.

    Endings of two parts (``.sarif.json``) end in one of SHARED_ENDINGS: any other is looked up by the format's name,
    since importing all formats takes 0.4 s.
    """
    name = Path(path).name.lower()
    rest, dot, ending = name.rpartition(".")
    if dot and ending in FORMATS.names and ("." not in rest or ending not in SHARED_ENDINGS):
        plug = FORMATS.chosen(ending)
        if f".{ending}" in plug.value.suffixes:
            return plug
    formats = _formats(command)
    fitting = [(len(suffix), plug) for plug in formats for suffix in plug.value.suffixes if name.endswith(suffix)]
    if fitting:
        return max(fitting, key=lambda pair: pair[0])[1]
    if otherwise:
        return FORMATS.chosen(otherwise)
    known = ", ".join(suffix for plug in formats for suffix in plug.value.suffixes)
    raise TrexError(f"no format of trex {command} has the ending of {name!r}", f"--format NAME, or {known}", str(path))


def chosen_format(name: str, command: str) -> Plug:
    """A format by its name. Raises TrexError for a name that none has, and for one of other commands."""
    plug = (EXPORTERS if name in EXPORTERS.known_names else FORMATS).chosen(name)
    if plug.value.commands and command not in plug.value.commands:
        able = ", ".join(f"trex {other}" for other in plug.value.commands)
        raise TrexError(
            f"trex {command} does not write {name}", f"{able} can; here: {', '.join(format_names(command))}"
        )
    return plug


def render_document(document: Document, name: str, style: RenderStyle | None = None) -> bytes:
    """The document in the format of that name, addresses of notes relative to the engine's folder.

    Raises TrexError for a format that does not write such documents, and naming the extra when a library is missing.
    """
    style = style or RenderStyle()
    content = chosen_format(name, document.command).value.render(prepared(document, style), style)
    return content.encode("utf-8", "replace") if isinstance(content, str) else content


def prepared(document: Document, style: RenderStyle) -> Document:
    """The document as every renderer gets it: addresses relative to the engine's folder, tables within the limit."""
    document = document.seen_from()
    return document if style.limit is None else limited(document, style.limit)


def write_document(document: Document, path: str | Path, format: str = "", style: RenderStyle | None = None) -> Path:
    """Writes the document, whole or not at all; the ending chooses the format unless it is named. Returns the path.

    Raises TrexError for an unknown ending or format, a missing folder and a missing extra.
    """
    name = format or format_of(path, document.command).name
    return write_whole(Path(path), render_document(document, name, style))


@contextmanager
def in_parts(document: Document) -> Iterator[Document]:
    """The document; its charts, tables and graphs count as steps when a renderer makes them."""
    blocks = [block for part in document.sections for block in part.blocks if isinstance(block, _LAZY_BLOCKS)]
    weights = [_SCENE if isinstance(block, SceneBlock) else 1.0 for block in blocks]
    with counter("part", len(blocks), weights) as begin:

        def counted(block: Block) -> Block:
            if not isinstance(block, _LAZY_BLOCKS):
                return block
            return replace(block, make=partial(_begun, begin, block.make))  # type: ignore[arg-type]

        sections = (replace(part, blocks=tuple(map(counted, part.blocks))) for part in document.sections)
        yield replace(document, sections=tuple(sections)) if blocks and is_watched() else document


def _begun(begin: Callable[[], None], make: Callable[[], Any]) -> Any:
    begin()
    return make()


def _formats(command: str) -> list[Plug]:
    plugs = (*FORMATS.values(), *EXPORTERS.values())
    return [plug for plug in plugs if not plug.value.commands or command in plug.value.commands]
