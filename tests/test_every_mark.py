"""No view of predicted times omits that they are: every chart, graph, command and cell says so by itself.

Of a simulated engine, and of a real one that was built on a CPU.

Every document in every format: tests/export/documents/test_every_document.py.
"""

from __future__ import annotations

import importlib.util
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import trex
from tests.simulated_engine import write_built_on_cpu, write_simulated
from tests.simulated_examples import SIMULATED, load_simulated
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

MARKS = {
    Provenance.SIMULATED: re.compile(rb"simulated", re.IGNORECASE),
    Provenance.BUILT_ON_CPU: re.compile(rb"built (by TensorRT for RTX 1\.7\.1 )?on a CPU|built_on_cpu|BuiltOnCPU"),
}
STATEMENT = "built by TensorRT for RTX 1.7.1 on a CPU; times are predicted, not measured"
SaysSo = Callable[[bytes | str], bool]
NEEDS = {
    "parquet": "pyarrow", "xlsx": "xlsxwriter", "onnx": "onnx", "png": "typst", "pdf": "typst", "html": "plotly",
}  # fmt: skip


@pytest.fixture(scope="module", params=MARKS, ids=lambda provenance: provenance.name.lower())
def provenance(request: pytest.FixtureRequest) -> Provenance:
    kind: Provenance = request.param
    return kind


@pytest.fixture(scope="module")
def folder(provenance: Provenance, tmp_path_factory: pytest.TempPathFactory) -> Path:
    write = write_simulated if provenance is Provenance.SIMULATED else write_built_on_cpu
    return write(tmp_path_factory.mktemp("predicted"))


@pytest.fixture(scope="module")
def plan(folder: Path) -> EnginePlan:
    return trex.load(folder)


@pytest.fixture(scope="module")
def says_so(provenance: Provenance) -> SaysSo:
    """Whether the words are there to be read: in text, in a zip's members, in a picture's or a document's words."""

    def said(data: bytes | str) -> bool:
        if isinstance(data, str):
            data = data.encode("utf-8", "replace")
        if data.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                data = b"\n".join(archive.read(name) for name in archive.namelist())
        assert b"TensorRT for RTX on a CPU" not in data, "the release is known"
        return MARKS[provenance].search(data) is not None

    return said


def needs(name: str) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])


def test_the_files_themselves_say_so(provenance: Provenance, folder: Path, says_so: SaysSo) -> None:
    files = sorted(path for path in folder.iterdir())
    assert len(files) >= 4
    assert [path.name for path in files if not says_so(path.read_bytes())] == []
    if provenance is Provenance.SIMULATED:
        assert "nothing was built or measured" in read_engine(folder / "small.engine").statement


def test_the_plan_says_so_by_any_of_its_files(provenance: Provenance, folder: Path, tmp_path: Path) -> None:
    alone = tmp_path / "x.graph.json"
    alone.write_bytes((folder / "small.engine.graph.json").read_bytes())
    for path in (folder, alone, folder / "small.engine"):
        assert trex.load(path).provenance is provenance
        if provenance is Provenance.BUILT_ON_CPU:
            assert trex.load(path).statement == STATEMENT
    assert provenance.label in repr(trex.load(folder))


def test_reading_the_files_leaves_no_caveat_of_files_that_are_not_known(plan: EnginePlan) -> None:
    assert not {"unrecognized-file", "several-candidates"} & {note.code for note in plan.notes}


@pytest.mark.parametrize("name", diagrams.FORMATS.names)
def test_every_graph(name: str, plan: EnginePlan, says_so: SaysSo) -> None:
    needs(name)
    assert says_so(diagrams.FORMATS[name].value.render(diagrams.Drawing(plan)))


@pytest.mark.parametrize("engine", ["png", "pdf", "svg"])
def test_graphs_that_graphviz_draws(engine: str, plan: EnginePlan, says_so: SaysSo) -> None:
    from trex.export.dot_pictures import has_graphviz

    if not has_graphviz():
        pytest.skip("Graphviz is not installed")
    drawing = diagrams.Drawing(plan, DiagramStyle(engine="dot"))
    data = diagrams.FORMATS[engine].value.render(drawing)
    assert says_so(diagrams.FORMATS["dot"].value.render(drawing)), "the title for Graphviz contains it"
    assert says_so(data) or engine == "pdf"  # a PDF of Graphviz packs its words


def test_pixels_show_what_the_svg_shows(provenance: Provenance, plan: EnginePlan) -> None:
    svg = diagrams.FORMATS["svg"].value.render(diagrams.Drawing(plan))
    assert re.search(rf"<(text|tspan)[^>]*>[^<]*{provenance.label}", str(svg))


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_every_table_of_layers_says_so_in_a_column(name: str, provenance: Provenance, plan: EnginePlan) -> None:
    needs(name)
    import pandas as pd

    frame = plan.df.query("type == 'Convolution'")[["Name", "type"]].head(1)
    data = io.BytesIO(render_document(layers_document(frame, plan), name))
    table = pd.read_parquet(data) if name == "parquet" else pd.read_csv(data)
    assert table["provenance"].tolist() == [provenance.label]


def test_charts_say_so_in_their_titles(plan: EnginePlan, says_so: SaysSo) -> None:
    subject = Subject.of_plan(plan)
    drawn = {block.name: block.make() for part in report_document(plan).sections for block in part.plots}
    shown = {name: plot for name, plot in drawn.items() if isinstance(plot, Plot) and name in CHARTS}
    assert len(shown) > 20
    for name, plot in shown.items():
        assert plot.title.endswith(f" · {plan.provenance.label}"), name
        assert says_so(json.dumps(described(plot), default=str)), name
    assert subject.plan is plan


def test_a_chart_of_a_table_that_was_filtered_says_so(plan: EnginePlan) -> None:
    subject = Subject(plan.df[plan.df["type"] == "Convolution"])
    plot = CHARTS["latency-per-layer-ms"].plot(subject)
    assert not isinstance(plot, Empty) and plot.title.endswith(plan.provenance.label)


@pytest.fixture
def trex_command(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls the program; what it writes to standard output, as bytes."""
    from trex.cli.main import main

    def run(*arguments: str, codes: tuple[int, ...] = (0, 1)) -> bytes:
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        monkeypatch.setattr("sys.stdout", stream)
        assert main(list(arguments)) in codes
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
    "baseline", "bisect", "cache", "collector", "compare", "devices", "draw", "examples", "explain", "explain-build",
    "history", "mcp", "process", "rules", "schema", "serve", "skill", "store", "sweep", "tactics", "validate", "watch",
    "whatif",
}  # fmt: skip


def test_every_command_is_looked_at() -> None:
    assert set(ON_ENGINES) | NOT_OF_ONE_ENGINE == set(COMMANDS.names)


@pytest.mark.parametrize("name", ON_ENGINES)
def test_every_command_says_so(
    name: str, provenance: Provenance, folder: Path, trex_command: Any, says_so: SaysSo
) -> None:
    for options in ON_ENGINES[name]:
        output = trex_command(name, str(folder), *options)
        assert says_so(output), options
        words = " ".join(output.decode().split())
        if provenance is Provenance.BUILT_ON_CPU and "built by" in words:
            assert STATEMENT in words, options


def test_comparing_says_which_of_the_two(provenance: Provenance, folder: Path, trex_command: Any) -> None:
    engines = str(SIMULATED / "resnet18-int8"), str(folder)
    text = " ".join(trex_command("compare", *engines, codes=(2,)).decode().split())  # two different models
    assert Provenance.SIMULATED.statement in text and provenance.stated("for RTX 1.7.1") in text


def test_baselines_say_so(
    provenance: Provenance, folder: Path, tmp_path: Path, trex_command: Any, says_so: SaysSo
) -> None:
    kept = tmp_path / "baselines"
    trex_command("baseline", "add", str(folder), "--folder", str(kept))
    (file,) = kept.rglob("*.json")
    assert says_so(file.read_bytes())
    assert trex.load(file).provenance is provenance


def test_commands_on_a_model_say_so(tmp_path: Path, trex_command: Any) -> None:
    pytest.importorskip("onnx")
    from trex.examples.network import write_network

    model = str(write_network("resnet18", tmp_path / "r.onnx"))
    for words in (("explain-build",), ("whatif",)):
        for options in ((), ("--json",)):
            output = trex_command(words[0], model, "--device", "A100", *options)
            assert MARKS[Provenance.SIMULATED].search(output), (words, options)


def test_the_summary_tells_between_which_times_it_is_expected(plan: EnginePlan) -> None:
    told = plan.metadata.extra["simulated" if plan.provenance is Provenance.SIMULATED else "built_on_cpu"]
    (fact,) = (fact for fact in engine_facts(plan) if fact.label == "Error bar")
    assert fact.value == [told["expected_from_ms"], told["expected_to_ms"]]
    assert fact.value[0] < told["compute_ms"] < fact.value[1]
    assert b'"error_bar"' in render_document(report_document(plan), "json")


def test_figures_that_are_no_numbers_are_no_expectation(plan: EnginePlan, folder: Path) -> None:
    other = trex.load(folder)
    other.metadata = replace(other.metadata, extra={"simulated": {"expected_from_ms": "x", "expected_to_ms": None}})
    assert not any(fact.label == "Error bar" for fact in engine_facts(other))


@pytest.mark.skipif(importlib.util.find_spec("IPython") is None, reason="needs IPython")
def test_cells_of_a_notebook(plan: EnginePlan, says_so: SaysSo) -> None:
    assert says_so(trex.draw(plan)._repr_html_() or "")
    assert says_so(trex.lint_engine(plan)._repr_html_())
    compared = trex.comparison.compare(load_simulated("resnet18-int8"), plan)
    assert says_so(compared._repr_html_()) and says_so(str(compared))


def test_the_workbook_of_the_classic_name(plan: EnginePlan, tmp_path: Path, says_so: SaysSo) -> None:
    pytest.importorskip("xlsxwriter")
    file = tmp_path / "x.xlsx"
    with trex.excel_summary.ExcelSummary(plan, file) as workbook:
        workbook.generate_default_summary()
    assert says_so(file.read_bytes())
