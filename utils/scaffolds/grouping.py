"""Groups of layers: ``trex draw --group-by NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="graph/groupings",
    plug='''\
"""One sentence: what the layers of a group have in common."""

from __future__ import annotations

from trex.graph.plan_graph import PlanGraph


def titles(graph: PlanGraph) -> list[tuple[str, ...]]:
    """For each layer, the titles of its groups, the outermost first; () for a layer in no group."""
    return [(f"$name {node.layer.type}",) if node.layer.type else () for node in graph.layer_nodes]


GROUPING = titles
''',
    test='''\
"""The grouping ``$name``."""

from pathlib import Path

import trex
from trex.cli.main import main
from trex.graph.build import build_graph
from trex.graph.groups import grouped


def test_frames_are_drawn(tmp_path: Path) -> None:
    file = tmp_path / "engine.svg"
    assert main(["draw", "example:resnet18-int8", "--group-by", "$name", "-o", str(file)]) == 0
    assert "frame: $name" in file.read_text("utf-8")


def test_a_group_has_several_layers() -> None:
    groups = grouped(build_graph(trex.load_example("resnet18-int8")), "$name").groups
    assert all(len(group.nodes) > 1 for group in groups)
''',
)
