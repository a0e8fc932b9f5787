"""A format of ``trex compare -o``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="export/comparisons",
    plug='''\
"""$title: one sentence on what this format is for."""

from __future__ import annotations

from trex.core.printable import printable
from trex.export.comparison import ComparisonFormat, ComparisonStyle
from trex.views.comparison.reading import ComparisonReading


def render(reading: ComparisonReading, style: ComparisonStyle) -> str:
    """The file's content. It must stay valid whatever the names in an engine contain."""
    lines = [f"{printable(reading.title)}\\n", *(f"{printable(title)}\\n" for _, title, _ in reading.sections)]
    return "".join(lines)


FORMAT = ComparisonFormat((".$name",), render)
''',
    test='''\
"""The format ``$name`` of comparisons."""

from pathlib import Path

from trex.cli.main import main


def test_the_ending_of_the_file_asks_for_it(tmp_path: Path) -> None:
    file = tmp_path / "engine.$name"
    assert main(["compare", "example:resnet18-fp16", "example:resnet18-int8", "--output", str(file)]) == 0
    lines = file.read_text("utf-8").splitlines()
    assert lines[0] == "resnet18-fp16 → resnet18-int8" and "Causes" in lines
''',
    related=(),
)
