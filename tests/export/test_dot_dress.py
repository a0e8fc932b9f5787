"""A user's formatter and renderer in the picture that is drawn without Graphviz."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.factories import engine, layer
from trex.export.dot_dress import LEGEND_TITLE, dress_of, dressed_scene
from trex.export.dot_looks import (
    DotLooks,
    layer_node_renderer_keras,
    layer_node_renderer_simple,
    layer_precision_formatter,
)
from trex.export.svg import render_svg
from trex.graph.build import build_graph
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.labels import MAX_WIDTH
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle

PLAN = EnginePlan(
    engine(layer("a", "Convolution"), layer("b", "Reformat", inputs=["y"], outputs=["z"]), inputs=["x"], outputs=["z"])
)
STYLE = DiagramStyle()


def drawn(**looks):
    """The boxes of the two layers, and the legend."""
    scene = dressed_scene(build_graph(PLAN), PLAN, STYLE, DotLooks(**looks))
    ElementTree.fromstring(render_svg(scene).encode())
    return [box for box in scene.boxes if box.label.kind not in ("Input", "Output")], scene.legend


def test_our_own_functions_change_nothing():
    assert dress_of(DotLooks(), STYLE) is None
    assert dress_of(DotLooks(layer_precision_formatter), STYLE) is None
    graph = build_graph(PLAN)
    assert dressed_scene(graph, PLAN, STYLE, DotLooks()) == build_scene(graph, PLAN, STYLE)


def test_colors_of_a_formatter():
    def formatter(layer):
        return {"fillcolor": "navy"} if layer.name == "a" else {"style": "filled", "color": "#f00"}

    boxes, legend = drawn(formatter=formatter)
    assert [box.color for box in boxes] == ["#000080", "#ff0000"]
    assert [box.label.kind for box in boxes] == ["Convolution", "Reformat"]
    assert legend[0].title == LEGEND_TITLE
    assert {(entry.color, entry.text) for entry in legend[0].entries} >= {
        ("#000080", "navy (1)"),
        ("#ff0000", "#f00 (1)"),
    }


@pytest.mark.parametrize("look", [{}, {"fillcolor": "no color"}, {"color": None}, {"shape": "oval"}])
def test_without_a_color_it_is_graphvizs_own(look):
    boxes, _ = drawn(formatter=lambda layer: look)
    assert {box.color for box in boxes} == {"#d3d3d3"}


def test_words_and_tooltips_of_a_formatter():
    boxes, _ = drawn(formatter=lambda layer: {"label": f"{layer.name}!\nsecond", "tooltip": "mine"})
    assert (boxes[0].label.kind, boxes[0].label.lines) == ("a!", (("name", "second"),))
    assert boxes[0].label.tooltip == "mine"


@pytest.mark.parametrize(
    "words",
    ["head\none\ntwo", r"head\none\ltwo\l", "<<B>head</B><BR/>one<BR/>two>", "head\n\n  one \ntwo\n"],
)
def test_words_of_a_renderer(words):
    boxes, legend = drawn(renderer=lambda layer, latency, **how: words)
    assert {box.label.kind for box in boxes} == {"head"}
    assert boxes[0].label.lines == (("name", "one"), ("name", "two"))
    assert legend[0].title == "Layers by type"


def test_a_table_of_a_renderer():
    table = '<<TABLE><TR><TD COLSPAN="2">head</TD></TR><TR><TD>a</TD><TD>b</TD></TR></TABLE>>'
    boxes, _ = drawn(renderer=lambda layer, latency, **how: table)
    assert boxes[0].label.kind == "head" and boxes[0].label.lines == (("name", "a b"),)


def test_our_other_renderers():
    keras, _ = drawn(renderer=layer_node_renderer_keras)
    assert any(text.startswith("input:") for _, text in keras[0].label.lines)
    simple, _ = drawn(renderer=layer_node_renderer_simple)
    assert len(simple[0].label.lines) == 1


@pytest.mark.parametrize("words", ["", "\n", "x" * 50_000, "\n".join(map(str, range(1000))), "</svg><script>", "\x1e"])
def test_odd_words_are_drawn_and_bounded(words):
    boxes, _ = drawn(renderer=lambda layer, latency, **how: words)
    assert boxes[0].width <= MAX_WIDTH and boxes[0].height < 1000
