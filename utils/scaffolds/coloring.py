"""Colors of layers: ``trex draw --color-by NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/diagram/colorings",
    plug='''\
"""One sentence: what the color of a layer means."""

from __future__ import annotations

from trex.graph.plan_graph import PlanGraph
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import NVDA_GREEN, UNKNOWN_COLOR


def paint(graph: PlanGraph, latency: Latency) -> list[Paint]:
    """For each layer, in order, its color and the text of the legend."""
    return [
        Paint(NVDA_GREEN, "named tactic") if node.layer.tactic else Paint(UNKNOWN_COLOR, "not reported")
        for node in graph.layer_nodes
    ]


COLORING = Coloring("Layers by $name", paint)
''',
    test='''\
"""The coloring ``$name``."""

from pathlib import Path

import trex
from trex.cli.main import main
from trex.graph.build import build_graph
from trex.views.diagram.coloring import coloring
from trex.views.diagram.style import DiagramStyle


def test_the_legend_says_what_the_colors_mean(tmp_path: Path) -> None:
    file = tmp_path / "engine.svg"
    assert main(["draw", "example:resnet18-int8", "--color-by", "$name", "-o", str(file)]) == 0
    text = file.read_text("utf-8")
    assert "Layers by $name" in text
    assert "named tactic" in text


def test_every_layer_has_a_color() -> None:
    graph = build_graph(trex.load_example("resnet18-int8"))
    paints = coloring("$name").paint(graph, DiagramStyle().latency_ms)
    assert len(paints) == len(graph.layer_nodes)
''',
)
