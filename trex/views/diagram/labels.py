"""Node → NodeLabel, tensor → words: what a diagram writes into boxes, next to wires and into tooltips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trex.core.layer import Layer
from trex.core.shape import shape_text
from trex.core.tensor import Tensor
from trex.core.timings import LayerTime
from trex.graph.plan_graph import LayerNode, Layers, MemoryNode
from trex.views.diagram.details import detail_lines
from trex.views.diagram.explanations import NOT_REPORTED, explanation, is_reformat, reformat_reason
from trex.views.diagram.group_words import count_words, group_facts, missing_words, type_words
from trex.views.diagram.lettering import elided, text_width, wrapped
from trex.views.diagram.style import LATENCY_WORDS, DiagramStyle
from trex.views.table import byte_size, milliseconds

TITLE_SIZE = 12
TEXT_SIZE = 11
WIRE_TEXT_SIZE = 10
PADDING = 8
WIRE_ROOM = 230
MIN_WIDTH, MAX_WIDTH = 112, 280
# Width of the words in the widest box.
ROOM = MAX_WIDTH - 2 * PADDING
# Lines that a name may take; the tooltip has the whole name.
MAX_NAME_LINES = 4
# A tooltip lists this many tensors and origins, then says how many more there are.
MAX_LISTED = 40
# Names of other things in a tooltip are elided, so that a long name is written out only once.
MAX_FOREIGN_NAME = 160
_MAX_ORIGIN_LINES = 2
# Of the layers of a closed group.
_MAX_MEMBERS = 8

_MEMORY_WORDS = {
    "input": "Input",
    "output": "Output",
    "constant": "Constant",
    "dangling": "No writer reported",
    "merge": "One of several writers",
    "region": "Region",
    "from": "From",
    "to": "To",
}
_MEMORY_EXPLANATIONS = {
    "input": "Input of the engine.",
    "output": "Output of the engine.",
    "constant": "Data stored in the engine.",
    "dangling": "Nothing in the file writes this data: stored parameters, or a link that the file does not report.",
    "merge": "Several layers write this tensor, none reads it in between: conditional branches, or parts of a whole.",
    "region": "Data that layers hand on, in memory of the device.",
    "from": "Written by a layer that is not shown.",
    "to": "Read by layers that are not shown.",
}


_OUTSIDE = {"from": ", written by {}", "to": ", read by {} first"}


@dataclass(frozen=True, slots=True)
class NodeLabel:
    """What a box says. kind and badge head it, left and right; ``lines`` are (role, text) pairs below.

    Roles: ``name``, ``reason`` (why a Reformat exists), ``origin`` (where a kernel came from).
    """

    kind: str
    badge: str
    lines: tuple[tuple[str, str], ...]
    tooltip: str

    @property
    def width(self) -> float:
        """Width in pixels that the label needs, padding included."""
        head = text_width(self.kind, TITLE_SIZE) * 1.06 + (text_width(self.badge, TEXT_SIZE) + 14 if self.badge else 0)
        body = max((text_width(text, TEXT_SIZE) for _, text in self.lines), default=0.0)
        return max(MIN_WIDTH, max(head, body) + 2 * PADDING)


def layer_label(node: LayerNode, share_pct: float | None, style: DiagramStyle, with_tooltip: bool = True) -> NodeLabel:
    """The label of a layer; ``share_pct`` is its part of the plan's time, None when not measured. with_tooltip: of a
    node for one layer; those for several have it in any case."""
    layer = node.layer
    if node.closed is not None:
        return _closed_label(node, node.closed, share_pct, style)
    badge = _badge(node, share_pct, style)
    kind = elided(layer.type, ROOM - (text_width(badge, TEXT_SIZE) + 14 if badge else 0) - 14, TITLE_SIZE)
    lines = tuple(body_lines(layer, style))
    if style.expand_layer_details:
        lines += tuple(("origin", line) for line in detail_lines(layer, ROOM, TEXT_SIZE))
    if node.folded is None:
        return NodeLabel(kind, badge, lines, layer_tooltip(layer, node.time, share_pct) if with_tooltip else "")
    times = f"×{node.folded.count:,}"
    folded = _fold_words(node.folded, style)
    if kind == layer.type and text_width(f"{kind} {times}", TITLE_SIZE) * 1.06 < ROOM - text_width(badge, TEXT_SIZE):
        kind = f"{kind} {times}"
    elif badge:
        badge = f"{times} {badge}"
    if folded and style.display_latency:
        lines = (*lines, ("origin", elided(folded, ROOM, TEXT_SIZE)))
    tooltip = f"{node.folded.count:,} similar, one in each repetition of a block" + (f"; {folded}" if folded else "")
    return NodeLabel(kind, badge, lines, f"{tooltip}\nthe first:\n{layer_tooltip(layer, node.time, None)}")


def _badge(node: LayerNode, share_pct: float | None, style: DiagramStyle) -> str:
    latency = node.ms(style.latency_ms) if style.display_latency else None
    if latency is None:
        return ""
    return f"{milliseconds(latency)} ms" + (f" · {share_pct:.1f}%" if share_pct is not None else "")


def _closed_label(node: LayerNode, closed: Layers, share_pct: float | None, style: DiagramStyle) -> NodeLabel:
    """The label of a closed group: its title, time and share; how many layers, and of what types."""
    badge = _badge(node, share_pct, style)
    title = elided(closed.title, ROOM - (text_width(badge, TEXT_SIZE) + 14 if badge else 0) - 14, TITLE_SIZE)
    words = f"{count_words([node])}: {type_words([node], 4)}"
    lines = [("origin", line) for line in wrapped(words, ROOM, TEXT_SIZE, 2)]
    missing = missing_words([node], style)
    if style.display_latency and missing:
        lines.append(("origin", missing))
    tooltip = [*group_facts(closed.title, closed.kind, [node], style, share_pct), "closed: drawn as one box"]
    tooltip += [*_tensor_list("in", node.layer.inputs), *_tensor_list("out", node.layer.outputs)]
    names = [_foreign(layer.name) for layer in closed.layers[:_MAX_MEMBERS]]
    tooltip += [f"has: {name}" for name in names]
    if closed.count > len(names):
        tooltip.append(f"has: {closed.count - len(names):,} more")
    return NodeLabel(title, badge, tuple(lines), "\n".join(tooltip))


def _fold_words(folded: Layers, style: DiagramStyle) -> str:
    """``each 0.0100 … 0.0250 ms, median 0.0110``; "" when none was measured."""
    least, middle, most, _ = folded.spread(style.latency_ms)
    if least is None or middle is None or most is None:
        return ""
    return f"each {milliseconds(least)} … {milliseconds(most)} ms, median {milliseconds(middle)}"


def body_lines(layer: Layer, style: DiagramStyle) -> Iterator[tuple[str, str]]:
    """(role, text) of each line below a layer's head, see ``NodeLabel``."""
    if is_reformat(layer):
        for reason in reformat_reason(layer):
            for line in wrapped(reason, ROOM, TEXT_SIZE, 2):
                yield "reason", line
        if not style.display_layer_names or layer.name_parts.wraps:
            return
    if style.display_layer_names:
        for line in _name_lines(layer, style):
            yield "name", line
    if style.display_metadata and "myelin" in layer.name_parts.fusion and layer.origins:
        shown = layer.origins[:_MAX_ORIGIN_LINES]
        for origin in shown:
            yield "origin", elided(f"from {origin}", ROOM, TEXT_SIZE)
        if len(layer.origins) > len(shown):
            yield "origin", f"and {len(layer.origins) - len(shown)} more"


def _name_lines(layer: Layer, style: DiagramStyle) -> tuple[str, ...]:
    operations = layer.name_parts.operations
    fused = layer.name_parts.fusion in ("vertical", "horizontal", "pointwise")
    if not (style.stack_layer_names and fused and len(operations) > 1):
        return wrapped(layer.name, ROOM, TEXT_SIZE, MAX_NAME_LINES)
    sign = {"horizontal": "|| "}.get(layer.name_parts.fusion, "+ ")
    # "and 1 more" would take as much ROOM as that one.
    most = MAX_NAME_LINES
    shown = operations if len(operations) == most + 1 else operations[:most]
    lines = [elided(text if i == 0 else sign + text, ROOM, TEXT_SIZE) for i, text in enumerate(shown)]
    if len(operations) > len(shown):
        lines.append(f"{sign}{len(operations) - len(shown)} more")
    return tuple(lines)


def layer_tooltip(layer: Layer, time: LayerTime | None, share_pct: float | None) -> str:
    """All facts of a layer, one a line; unknown ones are said to be not reported."""
    return "\n".join(_layer_facts(layer, time, share_pct))


def _layer_facts(layer: Layer, time: LayerTime | None, share_pct: float | None) -> Iterator[str]:
    yield layer.name
    yield f"type: {layer.type}" + (f" ({layer.subtype})" if layer.subtype not in ("", layer.type) else "")
    if is_reformat(layer):
        yield "why: " + "; ".join(elided(reason, 900, TEXT_SIZE) for reason in reformat_reason(layer))
    if layer.compute.data_type.is_known:
        yield f"precision: {layer.precision} ({layer.compute.evidence})"
    else:
        yield f"precision: {NOT_REPORTED}"
    if time is None:
        yield "time: not measured"
    else:
        known = [(word, milliseconds(value)) for word, value in _times(time) if value is not None]
        share = f", {share_pct:.2f} % of the layers' sum" if share_pct is not None else ""
        yield "time: " + (", ".join(f"{word} {text} ms" for word, text in known) or "not measured") + share
    yield f"tactic: {layer.tactic or NOT_REPORTED}"
    yield from _tensor_list("in", layer.inputs)
    yield from _tensor_list("out", layer.outputs)
    if layer.weights:
        size = layer.weights_size_bytes
        yield f"stored: {byte_size(size) if size is not None else 'size ' + NOT_REPORTED}"
    if layer.stream is not None:
        yield f"stream: {layer.stream}"
    if layer.module:
        yield f"module: {_foreign(layer.module)}"
    if layer.origins:
        more = len(layer.origins) - MAX_LISTED
        names = ", ".join(_foreign(origin) for origin in layer.origins[:MAX_LISTED])
        yield f"from: {names}" + (f" and {more} more" if more > 0 else "")
    yield from explanation(layer)


def _times(time: LayerTime) -> Iterator[tuple[str, float | None]]:
    yield LATENCY_WORDS["avg_time"], time.average_ms
    yield LATENCY_WORDS["median_time"], time.median_ms


def _tensor_list(word: str, tensors: Sequence[Tensor]) -> Iterator[str]:
    for tensor in tensors[:MAX_LISTED]:
        yield f"{word}: {_foreign(tensor.name)} · {tensor_words(tensor)}"
    if len(tensors) > MAX_LISTED:
        yield f"{word}: {len(tensors) - MAX_LISTED} more"


def memory_label(nodes: Sequence[MemoryNode], style: DiagramStyle) -> NodeLabel:
    """The label of data; dangling tensors that one layer reads share a box, and very many unused inputs or outputs."""
    first = nodes[0]
    kind = _MEMORY_WORDS[first.kind]
    tooltip = [_MEMORY_EXPLANATIONS[first.kind]]
    for node in nodes[:MAX_LISTED]:
        words = f" · {tensor_words(node.tensor)}" if node.tensor is not None else ""
        origin = _OUTSIDE.get(node.kind, ", written by {}, which is not drawn").format(_foreign(node.origin))
        origin = origin if node.origin else ""
        tooltip.append((node.name if len(nodes) == 1 else _foreign(node.name)) + words + origin)
    if len(nodes) > MAX_LISTED:
        tooltip.append(f"and {len(nodes) - MAX_LISTED} more")
    if len(nodes) > 1:
        return NodeLabel(f"{kind} ×{len(nodes)}", "", (), "\n".join(tooltip))
    named = first.kind != "region" or style.display_region_names
    shown = first.origin or first.name if first.kind in _OUTSIDE else first.name
    lines = [("name", line) for line in wrapped(shown, ROOM, TEXT_SIZE, 2)] if named else []
    if first.generation and first.kind == "region":
        lines.append(("origin", f"generation {first.generation}"))
    if first.kind == "output" and first.tensor is not None and style.display_edge_details:
        lines.append(("origin", elided(tensor_words(first.tensor), ROOM, TEXT_SIZE)))
    if first.count > 1:
        kind = f"{kind} ×{first.count:,}"
        tooltip.insert(1, f"{first.count:,} similar, one for each repetition of a block; the first:")
    return NodeLabel(kind, "", tuple(lines), "\n".join(tooltip))


def tensor_words(tensor: Tensor) -> str:
    """``FP16 1x64x56x56 NHWC8``; what is unknown is a question mark or left out."""
    layout = f" {tensor.format}" if tensor.format.is_known else ""
    known = tensor.data_type.is_known
    return f"{tensor.precision if known else '?'} {shape_text(tensor.shape)}{layout}"


def wire_text(tensor: Tensor, style: DiagramStyle) -> str:
    """The label of a wire; "" when the style wants none."""
    parts = []
    if style.display_edge_name:
        parts.append(elided(tensor.name, WIRE_ROOM * 0.6, WIRE_TEXT_SIZE))
    if style.display_edge_details:
        parts.append(tensor_words(tensor))
    return elided(" ".join(parts), WIRE_ROOM, WIRE_TEXT_SIZE) if parts else ""


def wire_tooltip(tensor: Tensor, source: str, target: str, carried: bool, loops: bool = False) -> str:
    size = f", {byte_size(tensor.size_bytes)}" if tensor.size_bytes is not None else f", size {NOT_REPORTED}"
    words = f"{_foreign(tensor.name)}\n{tensor_words(tensor)}{size}\n{_foreign(source)} → {_foreign(target)}"
    if loops:
        return f"{words}\nfrom each repetition of the folded block to the next"
    return words + ("\nread before it is written: the value of the previous iteration" if carried else "")


def _foreign(name: str) -> str:
    if len(name) <= MAX_FOREIGN_NAME:
        return name
    half = MAX_FOREIGN_NAME // 2
    return f"{name[:half]}…{name[-half:]}"
