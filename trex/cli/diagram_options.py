"""Options of a drawing: what part of the graph, and every choice of ``DiagramStyle`` as a flag."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from trex.core.options import option
from trex.graph.select import Selection
from trex.views.diagram.style import DiagramStyle


@dataclass(frozen=True)
class Spellings:
    """Classic flags whose sense is the other way round."""

    no_layer_names: bool = option(
        False, "the same as --no-display-layer-names", flags=("-no_ln", "--no_layer_names"), metavar=""
    )


def with_drawing_options(own: type) -> type:
    """A dataclass of a command's own options, then the selections, then the style."""
    added: list[tuple[str, Any, Any]] = []
    for group in (Selection, DiagramStyle, Spellings):
        for field in dataclasses.fields(group):
            added.append((field.name, field.type, dataclasses.field(default=field.default, metadata=field.metadata)))
    return dataclasses.make_dataclass(own.__name__, added, bases=(own,), frozen=True)


def drawing_of(options: Any) -> tuple[DiagramStyle, Selection]:
    """How to draw, and what part. Raises TrexError for a number out of bounds and for neighbors of nothing."""
    values = _values(options, DiagramStyle)
    values["highlight_layers"] = tuple(values["highlight_layers"])
    if options.no_layer_names:
        values["display_layer_names"] = False
    return DiagramStyle(**values), Selection(**_values(options, Selection))


def _values(options: Any, group: type) -> dict[str, Any]:
    return {field.name: getattr(options, field.name) for field in dataclasses.fields(group)}
