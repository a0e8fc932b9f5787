"""DotLooks: the functions that give nodes their words and Graphviz attributes, ours or a user's."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import Any

from trex.core.layer import Layer
from trex.core.shape import shape_text
from trex.core.tensor import Tensor
from trex.views.diagram.colors import MEMORY_COLOR, wire_color
from trex.views.diagram.details import detail_lines
from trex.views.diagram.labels import ROOM, TEXT_SIZE, TITLE_SIZE, body_lines
from trex.views.diagram.lettering import elided
from trex.views.diagram.style import DiagramStyle
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS, ink_on
from trex.views.table import milliseconds

Attributes = Mapping[str, Any]
HIGHLIGHT_COLOR = "#d6009a"
_MAX_SHAPES = 8
_LINE_ENDS = re.compile(r"\\[nlr]")


def layer_type_formatter(layer: Layer) -> dict[str, str]:
    """Graphviz attributes of a layer's node, colored by the layer's type."""
    return filled(LAYER_COLORS[layer.type])


def layer_precision_formatter(layer: Layer) -> dict[str, str]:
    """Graphviz attributes of a layer's node, colored by the precision it computes in."""
    return filled(PRECISION_COLORS[layer.precision])


def filled(color: str) -> dict[str, str]:
    """Graphviz attributes of a node in one color, ``#rrggbb`` or ``gray``, its words in black or white."""
    return {"style": "filled", "shape": "box", "fillcolor": color, "fontcolor": ink_on(color), "fontname": "Helvetica"}


def region_precision_formatter(tensor: Tensor, is_user: bool) -> dict[str, str]:
    """Graphviz attributes of a memory node, colored by precision; inputs and outputs of the engine are filled."""
    return {
        "style": "filled,rounded" if is_user else "dashed,rounded",
        "shape": "box",
        "fillcolor": MEMORY_COLOR,
        "color": wire_color(tensor),
        "penwidth": "2",
        "fontname": "Helvetica",
    }


def layer_node_highlighter(node_name: str, highlighted_layer_names: Collection[str]) -> dict[str, str]:
    """Graphviz attributes that mark a layer, none when it is not among the names."""
    if node_name not in highlighted_layer_names:
        return {}
    return {"color": HIGHLIGHT_COLOR, "penwidth": "6"}


def layer_node_renderer_simple(
    layer: Layer,
    latency: float | None,
    display_layer_names: bool = True,
    expand_layer_details: bool = False,
    stack_layer_names: bool = True,
    display_metadata: bool = True,
) -> str:
    """The words of a layer's node: type, time (latency, in ms) and name."""
    lines = [_head(layer, latency)]
    if display_layer_names:
        lines.append(elided(layer.name, ROOM, TEXT_SIZE))
    return "\n".join(lines)


def layer_node_renderer_keras(
    layer: Layer,
    latency: float | None,
    display_layer_names: bool = True,
    expand_layer_details: bool = False,
    stack_layer_names: bool = True,
    display_metadata: bool = True,
) -> str:
    """The words of a layer's node: type, time (latency, in ms), names, and the shapes of its inputs and outputs."""
    words = layer_node_configurable_renderer(
        layer, latency, display_layer_names, expand_layer_details, stack_layer_names, display_metadata
    )
    return f"{words}\ninput: {_shapes(layer.inputs)}\noutput: {_shapes(layer.outputs)}"


def layer_node_configurable_renderer(
    layer: Layer,
    latency: float | None,
    display_layer_names: bool = True,
    expand_layer_details: bool = False,
    stack_layer_names: bool = True,
    display_metadata: bool = True,
) -> str:
    """The words of a layer's node: type, time (latency, in ms), and what the other arguments ask for."""
    style = _style(display_layer_names, expand_layer_details, stack_layer_names, display_metadata)
    lines = [_head(layer, latency), *(text for _, text in body_lines(layer, style))]
    if expand_layer_details:
        lines.extend(detail_lines(layer, ROOM, TEXT_SIZE))
    return "\n".join(lines)


@cache
def _style(names: bool, details: bool, stack: bool, metadata: bool) -> DiagramStyle:
    return DiagramStyle(
        display_layer_names=names,
        expand_layer_details=details,
        stack_layer_names=stack,
        display_metadata=metadata,
    )


def _head(layer: Layer, latency_ms: float | None) -> str:
    kind = elided(layer.type, ROOM - 60, TITLE_SIZE)
    return kind if latency_ms is None else f"{kind} · {milliseconds(latency_ms)} ms"


def _shapes(tensors: Sequence[Tensor]) -> str:
    shown = ", ".join([shape_text(tensor.shape) for tensor in tensors[:_MAX_SHAPES]])
    return shown + (f" and {len(tensors) - _MAX_SHAPES} more" if len(tensors) > _MAX_SHAPES else "")


layer_node_formatters = {
    "layer_type": layer_type_formatter,
    "layer_precision_formatter": layer_precision_formatter,
}
layer_node_renderers = {
    "Minimal": layer_node_renderer_simple,
    "Keras": layer_node_renderer_keras,
    "Configurable": layer_node_configurable_renderer,
}


@dataclass(frozen=True, slots=True)
class DotLooks:
    """formatter: layer → attributes. highlighter: (name, highlighted names) → attributes. renderer: (layer, ms, how) →
    words. region_formatter: (tensor, is an input or output of the engine) → attributes.

    Attributes are Graphviz's; values may be HTML-like when well-formed (``<<B>…</B>>``), all else is plain text.
    """

    formatter: Callable[[Layer], Attributes] = layer_type_formatter
    highlighter: Callable[[str, Collection[str]], Attributes] = layer_node_highlighter
    renderer: Callable[..., str] = layer_node_configurable_renderer
    region_formatter: Callable[[Tensor, bool], Attributes] = region_precision_formatter

    @property
    def color_by(self) -> str:
        """What the layers' colors show, "" if unknown: the formatter is the caller's own."""
        if self.formatter is layer_type_formatter:
            return "type"
        return "precision" if self.formatter is layer_precision_formatter else ""

    def words(self, layer: Layer, latency_ms: float | None, style: DiagramStyle) -> str:
        """What the renderer writes into a layer's node.

        Times that are no numbers are None for it, as are all when the style shows none. Graphviz's ends of lines
        (``\\n``, ``\\l``, ``\\r``) in the words of a user's renderer end lines.
        """
        known = style.display_latency and latency_ms is not None and isfinite(latency_ms)
        words = str(
            self.renderer(
                layer,
                latency_ms if known else None,
                display_layer_names=style.display_layer_names,
                expand_layer_details=style.expand_layer_details,
                stack_layer_names=style.stack_layer_names,
                display_metadata=style.display_metadata,
            )
        )
        return words if self.renderer in layer_node_renderers.values() else _LINE_ENDS.sub("\n", words)
