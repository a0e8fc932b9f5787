"""A format of every command's document: ``-o x.NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="export/documents",
    plug='''\
"""$title: one sentence on what the format is for."""

from __future__ import annotations

from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.views.document import Document


def render(document: Document, style: RenderStyle) -> str:
    """The file's content. It must stay valid whatever the names in an engine contain."""
    lines = [document.title, document.statement, *(section.title for section in document.sections)]
    return "".join(f"{printable(line)}\\n" for line in lines if line)


FORMAT = DocumentFormat((".$name",), render)
''',
    test='''\
"""The format ``$name`` of documents."""

from pathlib import Path

from trex.cli.main import main


def test_the_ending_of_the_file_chooses_it(tmp_path: Path) -> None:
    file = tmp_path / "engine.$name"
    assert main(["summary", "example:resnet18-int8", "--output", str(file)]) == 0
    title, statement, *_ = file.read_text("utf-8").splitlines()
    assert title == "resnet18-int8" and statement.startswith("built by TensorRT for RTX")
''',
    related=("tests/export/documents/test_every_document.py",),
)
