"""Every rule, chart, format, view and command over engines that TensorRT for RTX builds here.

Skipped without its wheels.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.capture.backends.test_tensorrt_rtx import NEEDS_WHEELS, options
from trex.capture.process import process
from trex.cli.main import main
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.examples.network import write_network
from trex.export import diagram as diagrams
from trex.export.document import EXPORTERS, FORMATS, RenderStyle, render_document
from trex.lint import lint_engine
from trex.plan.engine_plan import EnginePlan
from trex.views.chart import CHARTS, Subject
from trex.views.diagram.coloring import COLORINGS
from trex.views.diagram.style import DiagramStyle
from trex.views.plot import Empty, Plot
from trex.views.report.document import report_document
from trex.views.summary import summary_document

pytestmark = [pytest.mark.slow, NEEDS_WHEELS]
NEEDS = {"parquet": "pyarrow", "xlsx": "xlsxwriter", "onnx": "onnx", "png": "typst", "pdf": "typst", "html": "plotly"}


@pytest.fixture(scope="module", params=["resnet18-qat-residual", "unet-fp16"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("real")
    model = write_network(request.param, place / f"{request.param}.onnx", weights="random")
    assert process(options(model, place / "out", device="RTX 4090")).failure is None
    return place / "out"


@pytest.fixture(scope="module")
def plan(folder: Path) -> EnginePlan:
    return load(folder)


def needs(name: str) -> None:
    if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"needs {NEEDS[name]}")


def test_nothing_was_read_only_in_part(plan: EnginePlan) -> None:
    assert [note.message for note in plan.notes if note.severity != "info"] == []


def test_every_rule(plan: EnginePlan) -> None:
    result = lint_engine(plan)
    assert result.failed == () and result.findings


def test_every_chart(plan: EnginePlan) -> None:
    subject = Subject.of_plan(plan)
    drawn = {name: chart.plot(subject) for name, chart in CHARTS.items()}
    assert all(isinstance(plot, Plot | Empty) for plot in drawn.values())
    assert sum(isinstance(plot, Plot) for plot in drawn.values()) > 20


@pytest.mark.parametrize("name", diagrams.FORMATS.names)
def test_every_graph(name: str, plan: EnginePlan) -> None:
    needs(name)
    assert diagrams.FORMATS[name].value.render(diagrams.Drawing(plan))


@pytest.mark.parametrize("name", COLORINGS.names)
def test_every_coloring(name: str, plan: EnginePlan) -> None:
    assert diagrams.FORMATS["svg"].value.render(diagrams.Drawing(plan, DiagramStyle(color_by=name)))


@pytest.mark.parametrize("name", FORMATS.names)
def test_every_format_of_a_document(name: str, plan: EnginePlan) -> None:
    needs(name)
    for document in (summary_document(plan), report_document(plan)):
        try:
            assert render_document(document, name)
        except TrexError as error:  # of one table
            key = error.hint.rpartition("one of ")[2].split(", ")[0]
            assert render_document(document, name, RenderStyle(fields=(key,)))


def test_every_exporter_of_findings_and_times(folder: Path, tmp_path: Path) -> None:
    for command, formats in {"lint": ("sarif", "junit", "github"), "report": ("trace",)}.items():
        for name in formats:
            assert name in EXPORTERS.names
            assert main([command, str(folder), "-f", name, "-o", str(tmp_path / f"{name}.out")]) in (0, 1)
            assert (tmp_path / f"{name}.out").stat().st_size > 0


@pytest.mark.parametrize("name", ["summary", "layers", "perf", "qdq", "doctor"])
def test_every_command_on_an_engine(name: str, folder: Path, tmp_path: Path) -> None:
    assert main([name, str(folder), "--json", "-o", str(tmp_path / "x.json")]) in (0, 1)


def test_it_is_compared(plan: EnginePlan, folder: Path, tmp_path: Path) -> None:
    assert main(["compare", "example:resnet18-int8", str(folder), "-o", str(tmp_path / "x.md")]) in (0, 1)
    assert plan.statement in (tmp_path / "x.md").read_text(encoding="utf-8")
