"""DotLooks → what our own picture takes of them, where Graphviz does not draw: a layer's words and its color."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

from trex.export.dot_colors import rgb_of
from trex.export.dot_looks import DotLooks, layer_node_configurable_renderer
from trex.export.dot_text import is_html_like
from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.coloring import Paint
from trex.views.diagram.labels import ROOM, TEXT_SIZE, TITLE_SIZE, NodeLabel
from trex.views.diagram.lettering import elided
from trex.views.diagram.scene import Dress, Scene, build_scene
from trex.views.diagram.style import DiagramStyle

# What Graphviz fills with when no color is named.
_FILL = "lightgray"
_MOST_LINES = 40
LEGEND_TITLE = "Layers by formatter"


def dressed_scene(graph: PlanGraph, plan: EnginePlan, style: DiagramStyle, looks: DotLooks) -> Scene:
    """The graph laid out, its layers with the words and colors that the user's functions give."""
    scene = build_scene(graph, plan, style, dress=dress_of(looks, style))
    if looks.color_by or not scene.legend or not scene.boxes:
        return scene
    layers, *others = scene.legend
    return replace(scene, legend=(replace(layers, title=LEGEND_TITLE), *others))


def dress_of(looks: DotLooks, style: DiagramStyle) -> Dress | None:
    """A function from a layer's node and our own label of it to the label and color that the user's functions give.

    None when all functions are ours and the picture says the same without them. Shapes, fonts and the looks of memory
    are Graphviz's alone.
    """
    if looks.color_by and looks.renderer is layer_node_configurable_renderer:
        return None

    def dress(node: LayerNode, label: NodeLabel) -> tuple[NodeLabel, Paint | None]:
        look = {} if looks.color_by else dict(looks.formatter(node.layer))
        words = look.get("label")
        if words is None and looks.renderer is not layer_node_configurable_renderer:
            words = looks.words(node.layer, node.ms(style.latency_ms), style)
        if words is not None:
            label = _relabeled(label, str(words))
        if look.get("tooltip"):
            label = replace(label, tooltip=str(look["tooltip"]))
        return label, None if looks.color_by else _paint(str(look.get("fillcolor") or look.get("color") or _FILL))

    return dress


def _relabeled(label: NodeLabel, words: str) -> NodeLabel:
    lines = list(_lines(words))
    shown = [("name", elided(line, ROOM, TEXT_SIZE)) for line in lines[1:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        shown.append(("origin", f"and {len(lines) - _MOST_LINES} lines more"))
    return NodeLabel(elided(lines[0], ROOM - 10, TITLE_SIZE) if lines else "", "", tuple(shown), label.tooltip)


def _lines(words: str) -> Iterator[str]:
    text = "".join(_plain(ElementTree.fromstring(f"<L>{words[1:-1]}</L>"))) if is_html_like(words) else words
    return (line.strip() for line in text.splitlines() if line.strip())


def _plain(element: ElementTree.Element) -> Iterator[str]:
    """The words of HTML-like text; rows and breaks end lines."""
    yield element.text or ""
    for child in element:
        yield from _plain(child)
        yield "\n" if child.tag.upper() in ("BR", "TR", "HR") else " " if child.tag.upper() == "TD" else ""
        yield child.tail or ""


def _paint(color: str) -> Paint:
    return Paint(rgb_of(color) or rgb_of(_FILL) or "", color)
