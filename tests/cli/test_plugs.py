"""Plugs end to end: a file more is a format or coloring more, ours or an installed package's, in a real program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.simulated_examples import SIMULATED

# Whole runs: too long for the check between two edits.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = str(SIMULATED / "resnet18-int8")
FORMAT = '''"""Names: the layers, a line each."""

from trex.export.diagram import DiagramFormat


def render(drawing):
    return "".join(f"{node.layer.name}\\n" for node in drawing.graph.layer_nodes)


FORMAT = DiagramFormat((".layer-names.txt", ".names"), render)
'''
COLORING = '''"""Whether the layer is a Reformat."""

from trex.views.diagram.coloring import Coloring, Paint


def paint(graph, latency):
    return [Paint("#123456", "is a copy" if node.layer.type == "Reformat" else "works") for node in graph.layer_nodes]


COLORING = Coloring("Copies", paint)
'''


class Program:
    """``trex`` in a process of its own, with a folder more in which modules and installed packages are found."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.code = f"import sys; sys.path[:0] = {[str(folder), str(ROOT)]!r}\n"

    def also_in(self, package: str) -> None:
        """Its files below this folder belong to one of our packages, as if they lay beside ours."""
        folder = self.folder / package.rpartition(".")[2]
        self.code += f"import {package}\n{package}.__path__.append({str(folder)!r})\n"

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def __call__(self, *arguments: object, code: int = 0) -> str:
        program = f"{self.code}from trex.cli.main import main\nsys.exit(main({[str(each) for each in arguments]!r}))"
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False, cwd=self.folder
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def use_format(program: Program) -> None:
    out = program.folder / "x"
    program("draw", EXAMPLE, "-o", out.with_name("x.layer-names.txt"))
    assert len(out.with_name("x.layer-names.txt").read_text("utf-8").splitlines()) == 35
    program("draw", EXAMPLE, "--hottest", 2, "-o", out.with_name("y.names"))
    assert len(out.with_name("y.names").read_text("utf-8").splitlines()) == 2
    assert len(program("draw", EXAMPLE, "-of", "listing", "-o", "-").splitlines()) == 35
    assert "listing" in program("draw", "--help")
    assert ".layer-names.txt" in program("draw", EXAMPLE, "-o", "x.nothing", code=2)


def use_coloring(program: Program) -> None:
    file = program.folder / "x.svg"
    program("draw", EXAMPLE, "--color-by", "copies", "-o", file)
    texts = "\n".join(element.text or "" for element in ElementTree.parse(file).iter())
    assert all(words in texts for words in ("Copies", "is a copy", "works"))
    program("draw", EXAMPLE, "--color-by", "copies", "-o", file.with_name("x.json"))
    assert '"color": "#123456", "color_meaning": "is a copy"' in file.with_name("x.json").read_text("utf-8")
    program("draw", EXAMPLE, "-o", file.with_name("x.html"))
    assert '"copies"' in file.with_name("x.html").read_text("utf-8"), "the page's menu of colors has it, too"
    assert "copies" in program("draw", "--help")
    assert "copies" in program("draw", EXAMPLE, "--color-by", "nothing", "-o", file, code=2)


def test_a_format_is_one_file(program: Program) -> None:
    program.also_in("trex.export.diagrams")
    program.write("diagrams/listing.py", FORMAT)
    use_format(program)


def test_a_coloring_is_one_file(program: Program) -> None:
    program.also_in("trex.views.diagram.colorings")
    program.write("colorings/copies.py", COLORING)
    use_coloring(program)


def install(program: Program, entries: str) -> None:
    program.write("theirs-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    program.write("theirs-1.0.dist-info/entry_points.txt", entries)


@pytest.mark.slow
def test_a_format_of_an_installed_package(program: Program) -> None:
    program.write("their_format.py", FORMAT)
    install(program, "[trex.diagrams]\nlisting = their_format\n")
    use_format(program)


@pytest.mark.slow
def test_a_coloring_of_an_installed_package(program: Program) -> None:
    program.write("their_coloring.py", COLORING)
    install(program, "[trex.colorings]\ncopies = their_coloring\n")
    use_coloring(program)


@pytest.mark.slow
def test_a_document_format_of_an_installed_package(program: Program) -> None:
    text = (
        "from trex.export.document import DocumentFormat\n"
        "from trex.export.document_table import chosen_table\n"
        "def render(document, style):\n"
        '    return f"{document.command}: {len(chosen_table(document, style.fields).rows)} rows"\n'
        'FORMAT = DocumentFormat((".sum",), render)\n'
    )
    program.write("their_format.py", f'"""How many rows."""\n{text}')
    install(program, "[trex.documents]\ncounted = their_format\n")
    assert program("layers", EXAMPLE, "--format", "counted") == "layers: 35 rows"
    program("summary", EXAMPLE, "--fields", "slowest_layers", "-o", "x.sum")
    assert (program.folder / "x.sum").read_text() == "summary: 5 rows"


def test_an_installed_package_that_is_broken(program: Program) -> None:
    program.write("their_format.py", "import a_library_nobody_has\n")
    install(program, "[trex.diagrams]\nlisting = their_format\n[trex.colorings]\ncopies = their_format\n")
    program("draw", EXAMPLE, "-o", "x.svg")
    program("draw", EXAMPLE, "-o", "x.html")
    for choice in (("--color-by", "copies", "-o", "y.svg"), ("-of", "listing", "-o", "-")):
        said = program("draw", EXAMPLE, *choice, code=2)
        assert "a_library_nobody_has" in said and "cannot be loaded" in said
        assert "Traceback" not in said


@pytest.mark.slow
def test_an_installed_package_takes_no_ending_of_ours(program: Program) -> None:
    program.write("their_format.py", FORMAT.replace('".names"', '".svg", ".node-data.json"'))
    install(program, "[trex.diagrams]\nlisting = their_format\n")
    program("draw", EXAMPLE, "-o", "x.svg")
    assert (program.folder / "x.svg").read_text("utf-8").startswith("<?xml")
    program("draw", EXAMPLE, "-o", "x.y.node-data.json")
    assert (program.folder / "x.y.node-data.json").read_text("utf-8").startswith("{")
