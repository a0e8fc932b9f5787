"""A file format of reports: ``trex report -o x.NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="export/reports",
    plug='''\
"""$title: one sentence on what this file is for."""

from __future__ import annotations

from trex.core.printable import printable
from trex.export.report import ReportFormat, ReportStyle
from trex.views.report.report import Report


def render(report: Report, style: ReportStyle) -> bytes:
    """The file's content. Names are an engine's: whatever is in them, the file must stay a valid one."""
    lines = [f"{printable(report.title)}\\n", *(f"{part.title}: {len(part.items)}\\n" for part in report.parts)]
    return "".join(lines).encode("utf-8")


FORMAT = ReportFormat((".$name",), render)
''',
    test='''\
"""The format ``$name`` of reports."""

from pathlib import Path

from trex.cli.main import main
from trex.engine_plan import load_example
from trex.views.report.card import report_card


def test_the_ending_of_the_file_asks_for_it(tmp_path: Path) -> None:
    file = tmp_path / "engine.$name"
    assert main(["report", "example:resnet18-int8", "--output", str(file)]) == 0
    assert len(file.read_text("utf-8").splitlines()) == 1 + len(report_card(load_example("resnet18-int8")).parts)
''',
)
