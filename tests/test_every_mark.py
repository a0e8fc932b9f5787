"""No view of a simulated engine omits that it is one: every chart, graph, command and cell says so by itself.

Every document in every format: tests/export/documents/test_every_document.py.
"""

from __future__ import annotations

import importlib.util
import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import trex
from tests.simulated_engine import write_simulated
from trex.cli.command import COMMANDS
from trex.core.provenance import Provenance
from trex.export import diagram as diagrams
from trex.export.document import render_document
from trex.export.figures.figure import described
from trex.plan.engine_plan import EnginePlan
from trex.simulator.engine_file import read_engine
from trex.views.chart import CHARTS, Subject
from trex.views.diagram.style import DiagramStyle
from trex.views.layers import layers_document
from trex.views.plot import Empty, Plot
from trex.views.report.document import report_document
from trex.views.summary import engine_facts

MARK = re.compile(rb"simulated", re.IGNORECASE)
NEEDS = {
    "parquet": "pyarrow", "xlsx": "xlsxwriter", "onnx": "onnx", "png": "typst", "pdf": "typst", "html": "plotly",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_simulated(tmp_path_factory.mktemp("simulated"))


@pytest.fixture(scope="module")
def plan(folder: Path) -> EnginePlan:
    return trex.load(folder)


def says_so(data: bytes | str) -> bool:
    """Whether the word is there to be read: in text, in a zip's members, in a picture's or a document's words."""
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            data = b"\n".join(archive.read(name) for name in archive.namelist())
    return MARK.search(data) is not None


def needs(name: str) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])


def test_the_files_themselves_say_so(folder: Path) -> None:
    files = sorted(path for path in folder.iterdir())
    assert len(files) == 6
    assert [path.name for path in files if not says_so(path.read_bytes())] == []
    assert "nothing was built or measured" in read_engine(folder / "small.engine").statement


def test_the_plan_says_so_by_any_of_its_files(folder: Path, tmp_path: Path) -> None:
    alone = tmp_path / "x.graph.json"
    alone.write_bytes((folder / "small.engine.graph.json").read_bytes())
    for path in (folder, alone, folder / "small.engine"):
        assert trex.load(path).provenance is Provenance.SIMULATED
    assert "simulated" in repr(trex.load(folder))


def test_reading_the_files_leaves_no_caveat_of_files_that_are_not_known(plan: EnginePlan) -> None:
    assert not {"unrecognized-file", "several-candidates"} & {note.code for note in plan.notes}


@pytest.mark.parametrize("name", diagrams.FORMATS.names)
def test_every_graph(name: str, plan: EnginePlan) -> None:
    needs(name)
    assert says_so(diagrams.FORMATS[name].value.render(diagrams.Drawing(plan)))


@pytest.mark.parametrize("engine", ["png", "pdf", "svg"])
def test_graphs_that_graphviz_draws(engine: str, plan: EnginePlan) -> None:
    from trex.export.dot_pictures import has_graphviz

    if not has_graphviz():
        pytest.skip("Graphviz is not installed")
    drawing = diagrams.Drawing(plan, DiagramStyle(engine="dot"))
    data = diagrams.FORMATS[engine].value.render(drawing)
    assert says_so(diagrams.FORMATS["dot"].value.render(drawing)), "the title for Graphviz contains it"
    assert says_so(data) or engine == "pdf"  # a PDF of Graphviz packs its words


def test_pixels_show_what_the_svg_shows(plan: EnginePlan) -> None:
    svg = diagrams.FORMATS["svg"].value.render(diagrams.Drawing(plan))
    assert re.search(r"<text[^>]*>[^<]*simulated|<tspan[^>]*>[^<]*simulated", str(svg))


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_every_table_of_layers_says_so_in_a_column(name: str, plan: EnginePlan) -> None:
    needs(name)
    import pandas as pd

    frame = plan.df.query("type == 'Convolution'")[["Name", "type"]].head(1)
    data = io.BytesIO(render_document(layers_document(frame, plan), name))
    table = pd.read_parquet(data) if name == "parquet" else pd.read_csv(data)
    assert table["provenance"].tolist() == ["simulated"]


def test_charts_say_so_in_their_titles(plan: EnginePlan) -> None:
    subject = Subject.of_plan(plan)
    drawn = {block.name: block.make() for part in report_document(plan).sections for block in part.plots}
    shown = {name: plot for name, plot in drawn.items() if isinstance(plot, Plot) and name in CHARTS}
    assert len(shown) > 20
    for name, plot in shown.items():
        assert plot.title.endswith(" · simulated"), name
        assert says_so(json.dumps(described(plot), default=str)), name
    assert subject.plan is plan


def test_a_chart_of_a_table_that_was_filtered_says_so(plan: EnginePlan) -> None:
    subject = Subject(plan.df[plan.df["type"] == "Convolution"])
    plot = CHARTS["latency-per-layer-ms"].plot(subject)
    assert not isinstance(plot, Empty) and plot.title.endswith("simulated")


@pytest.fixture
def trex_command(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls the program; what it writes to standard output, as bytes."""
    from trex.cli.main import main

    def run(*arguments: str) -> bytes:
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        monkeypatch.setattr("sys.stdout", stream)
        assert main(list(arguments)) in (0, 1)
        return stream.buffer.getvalue()

    return run


ON_ENGINES = {
    "summary": ((), ("--json",), ("--group-tactics",)),
    "layers": ((), *(("-f", each) for each in ("json", "csv", "markdown", "text")), ("-t", "Convolution")),
    "perf": ((), ("--json",), ("-s", "time")),
    "lint": ((), ("--json",)),
    "qdq": ((), ("--json",)),
    "doctor": ((), ("--json",)),
    "report": ((), ("--json",)),
}
NOT_OF_ONE_ENGINE = {
    "baseline", "collector", "compare", "devices", "draw", "examples", "explain", "explain-build", "process", "rules",
    "schema", "validate", "whatif",
}  # fmt: skip


def test_every_command_is_looked_at() -> None:
    assert set(ON_ENGINES) | NOT_OF_ONE_ENGINE == set(COMMANDS.names)


@pytest.mark.parametrize("name", ON_ENGINES)
def test_every_command_says_so(name: str, folder: Path, trex_command: Any) -> None:
    for options in ON_ENGINES[name]:
        assert says_so(trex_command(name, str(folder), *options)), options


def test_comparing_says_which_of_the_two(folder: Path, trex_command: Any) -> None:
    text = trex_command("compare", "example:resnet18-int8", str(folder)).decode()
    assert "simulated: the engine and its times were predicted" in " ".join(text.split())


def test_baselines_say_so(folder: Path, tmp_path: Path, trex_command: Any) -> None:
    kept = tmp_path / "baselines"
    trex_command("baseline", "add", str(folder), "--folder", str(kept))
    (file,) = kept.rglob("*.json")
    assert says_so(file.read_bytes())
    assert trex.load(file).provenance is Provenance.SIMULATED


def test_commands_on_a_model_say_so(tmp_path: Path, trex_command: Any) -> None:
    pytest.importorskip("onnx")
    from trex.examples.network import write_network

    model = str(write_network("resnet18", tmp_path / "r.onnx"))
    for words in (("explain-build",), ("whatif",)):
        for options in ((), ("--json",)):
            assert says_so(trex_command(words[0], model, "--device", "A100", *options)), (words, options)


def test_the_summary_tells_between_which_times_it_is_expected(plan: EnginePlan) -> None:
    told = plan.metadata.extra["simulated"]
    (fact,) = (fact for fact in engine_facts(plan) if fact.label == "Error bar")
    assert fact.value == [told["expected_from_ms"], told["expected_to_ms"]]
    assert fact.value[0] < told["compute_ms"] < fact.value[1]
    assert b'"error_bar"' in render_document(report_document(plan), "json")


def test_figures_that_are_no_numbers_are_no_expectation(plan: EnginePlan, folder: Path) -> None:
    other = trex.load(folder)
    other.metadata = replace(other.metadata, extra={"simulated": {"expected_from_ms": "x", "expected_to_ms": None}})
    assert not any(fact.label == "Error bar" for fact in engine_facts(other))


@pytest.mark.skipif(importlib.util.find_spec("IPython") is None, reason="needs IPython")
def test_cells_of_a_notebook(plan: EnginePlan) -> None:
    assert says_so(trex.draw(plan)._repr_html_() or "")
    assert says_so(trex.lint_engine(plan)._repr_html_())
    compared = trex.comparison.compare(trex.load_example("resnet18-int8"), plan)
    assert says_so(compared._repr_html_()) and says_so(str(compared))


def test_the_workbook_of_the_classic_name(plan: EnginePlan, tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    file = tmp_path / "x.xlsx"
    with trex.excel_summary.ExcelSummary(plan, file) as workbook:
        workbook.generate_default_summary()
    assert says_so(file.read_bytes())
