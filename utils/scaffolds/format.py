"""A file format of graphs: ``trex draw -o x.NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="export/diagrams",
    plug='''\
"""$camel: one sentence on what this file is for."""

from __future__ import annotations

from trex.core.printable import printable
from trex.export.diagram import DiagramFormat, Drawing


def render(drawing: Drawing) -> str:
    """The file's content. Names are an engine's: whatever is in them, the file must stay a valid one."""
    return "".join(f"{printable(node.layer.name)}\\n" for node in drawing.graph.layer_nodes)


FORMAT = DiagramFormat((".$name",), render)
''',
    test='''\
"""The diagram format ``$name``."""

from pathlib import Path

import trex
from trex.cli.main import main


def test_the_ending_of_the_file_asks_for_it(tmp_path: Path) -> None:
    file = tmp_path / "engine.$name"
    assert main(["draw", "example:resnet18-int8", "--output", str(file)]) == 0
    assert len(file.read_text("utf-8").splitlines()) == len(trex.load_example("resnet18-int8").layers)


def test_a_part_is_written_as_a_part(tmp_path: Path) -> None:
    file = tmp_path / "part.$name"
    assert main(["draw", "example:resnet18-int8", "--hottest", "3", "-o", str(file)]) == 0
    assert len(file.read_text("utf-8").splitlines()) == 3
''',
)
