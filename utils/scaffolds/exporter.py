"""A format of another tool, for the documents of some commands."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="export/exporters",
    plug='''\
"""$title: one sentence on the tool that reads the format."""

from __future__ import annotations

import json

from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.views.chart import Subject
from trex.views.document import Document


def render(document: Document, style: RenderStyle) -> str:
    """The file's content, from what the document was made of. It must stay valid whatever the names contain."""
    subject: Subject = document.source
    layers = subject.plan.working_layers if subject.plan else ()
    events = [{"name": printable(layer.name), "type": printable(layer.type)} for layer in layers]
    return json.dumps({"title": printable(document.title), "statement": document.statement, "events": events})


FORMAT = DocumentFormat((".$name",), render, commands=("report",))
''',
    test='''\
"""The format ``$name`` of another tool."""

import json
from pathlib import Path

from trex.cli.main import main


def test_the_ending_of_the_file_chooses_it(tmp_path: Path) -> None:
    file = tmp_path / "engine.$name"
    assert main(["report", "example:resnet18-int8", "--output", str(file)]) == 0
    document = json.loads(file.read_text("utf-8"))
    assert document["statement"].startswith("built by TensorRT for RTX") and len(document["events"]) == 42


def test_other_commands_do_not_write_it(tmp_path: Path) -> None:
    assert main(["perf", "example:resnet18-int8", "--output", str(tmp_path / "engine.$name")]) == 2
''',
    related=("tests/export/documents/test_every_document.py",),
)
