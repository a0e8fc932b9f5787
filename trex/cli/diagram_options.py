"""Options of a drawing: what part of the graph, and every choice of ``DiagramStyle`` as a flag."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from trex.core.options import count, option
from trex.graph.select import QUERY_FIELDS, Selection
from trex.views.diagram.keywords import KEYWORDS, style_and_selection
from trex.views.diagram.style import DiagramStyle


@dataclass(frozen=True)
class Selecting:
    """Which part of the graph to draw; several together keep what each of them keeps."""

    query: str = option("", "only layers in which this regular expression is found", flags=("-q",), metavar="REGEX")
    query_in: str = option("any", "where --query searches", choices=QUERY_FIELDS)
    beam: str = option(
        "",
        "only what is within RADIUS steps of a layer (name, operator or index)",
        flags=("-b",),
        metavar="NODE,RADIUS",
    )
    between: str = option("", "only what data flows through from layer A to layer B", metavar="A,B")
    hottest: int = option(0, "only the N layers that take the most time", metavar="N", convert=count)
    neighbors: bool = option(False, "with --hottest: also the layers next to them")
    module: str = option("", "only the layers of this module: /layer1/0", metavar="PATH")
    stream: int = option(-1, "only the layers on this stream", metavar="N", convert=count)
    tensor: str = option("", "only what writes and reads this tensor, also through copies of it", metavar="NAME")


@dataclass(frozen=True)
class Spellings:
    """Classic flags whose sense is the other way round."""

    no_layer_names: bool = option(
        False, "the same as --no-display-layer-names", flags=("-no_ln", "--no_layer_names"), metavar=""
    )


def with_drawing_options(own: type) -> type:
    """A dataclass of a command's own options, then the selections, then the style."""
    added: list[tuple[str, Any, Any]] = []
    for group in (Selecting, DiagramStyle, Spellings):
        for field in dataclasses.fields(group):
            added.append((field.name, field.type, dataclasses.field(default=field.default, metadata=field.metadata)))
    return dataclasses.make_dataclass(own.__name__, added, bases=(own,), frozen=True)


def drawing_of(options: Any) -> tuple[DiagramStyle, Selection]:
    """How to draw, and what part. Raises TrexError for a number out of bounds and a beam without a radius."""
    keywords = {name: getattr(options, name) for name in KEYWORDS}
    keywords |= {"beam": options.beam or None, "between": options.between or None}
    if options.no_layer_names:
        keywords["display_layer_names"] = False
    return style_and_selection(keywords)
