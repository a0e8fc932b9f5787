"""Layer → the lines of its node, in three manners: minimal, like Keras's plots, and as the style says."""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.shape import shape_text
from trex.core.tensor import Tensor
from trex.views.diagram.details import detail_lines
from trex.views.diagram.labels import PADDING, TEXT_SIZE, TITLE_SIZE, body_lines
from trex.views.diagram.lettering import elided
from trex.views.diagram.style import DiagramStyle
from trex.views.table import milliseconds

_MAX_SHAPES = 8


def minimal_text(layer: Layer, latency_ms: float | None, style: DiagramStyle) -> str:
    """The type and, where it is wanted, the name."""
    room = style.max_box_width - 2 * PADDING
    lines = [_head(layer, latency_ms, style)]
    if style.display_layer_names:
        lines.append(elided(layer.name, room, TEXT_SIZE))
    return "\n".join(lines)


def keras_text(layer: Layer, latency_ms: float | None, style: DiagramStyle) -> str:
    """Name and type, and the shapes that go in and come out."""
    return "\n".join(
        (
            *configurable_text(layer, latency_ms, style).split("\n"),
            f"input: {_shapes(layer.inputs)}",
            f"output: {_shapes(layer.outputs)}",
        )
    )


def configurable_text(layer: Layer, latency_ms: float | None, style: DiagramStyle) -> str:
    """Type and time; below, what the style wants: names, fused operations, why a reformat exists, attributes."""
    room = style.max_box_width - 2 * PADDING
    lines = [_head(layer, latency_ms, style)]
    lines.extend([text for _, text in body_lines(layer, room, style)])
    if style.expand_layer_details:
        lines.extend(detail_lines(layer, room, TEXT_SIZE))
    return "\n".join(lines)


def _head(layer: Layer, latency_ms: float | None, style: DiagramStyle) -> str:
    kind = elided(layer.type, style.max_box_width - 2 * PADDING - 60, TITLE_SIZE)
    return kind if latency_ms is None else f"{kind} · {milliseconds(latency_ms)} ms"


def _shapes(tensors: tuple[Tensor, ...]) -> str:
    shown = ", ".join([shape_text(tensor.shape) for tensor in tensors[:_MAX_SHAPES]])
    return shown + (f" and {len(tensors) - _MAX_SHAPES} more" if len(tensors) > _MAX_SHAPES else "")
