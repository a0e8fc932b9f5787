"""Templates of new plugs of documents for utils/new.py: a chart, a section of ``trex perf``, a format."""

from string import Template

CHART = Template('''\
"""One sentence: what is shown over what.

What it shows: how to read it, and what one looks for in it. This text is the chart's explanation in the report.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, column, layer_indexes, texts
from trex.views.plot import Axis, Bars, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    """A plot of what is known, or Empty with the reason: no engine may make it fail."""
    frame = subject.frame
    sizes = column(frame, "total_io_size_bytes")
    if not sizes.notna().any():
        return NO_LAYERS
    return Bars(
        "$title",
        texts(frame, "Name"),
        sizes.tolist(),
        Axis("layers in execution order"),
        Axis("inputs and outputs", "bytes"),
        keys=texts(frame, "type"),
        key_title="type",
        shows_names=False,
        layers=layer_indexes(frame),
    )


CHART = Chart("$title", "performance", 990, make)
''')

CHART_TEST = Template('''\
"""The chart ``$name``."""

from pathlib import Path

import pytest

from trex.engine_plan import load_example
from trex.export.document import write_document
from trex.export.figures.figure import described
from trex.report_card import report_card_perf_overview
from trex.views.chart import CHARTS, Subject
from trex.views.plot import Bars, Empty
from trex.views.report.document import report_document


def test_a_bar_for_every_layer() -> None:
    plan = load_example("resnet18-int8")
    plot = CHARTS["$name"].value.make(Subject.of_plan(plan))
    assert isinstance(plot, Bars)
    assert len(plot.values) == len(plan.layers) == len(plot.layers)
    assert described(plot)["layout"]["yaxis"]["title"]["text"] == "inputs and outputs (bytes)"


def test_without_layers_it_says_so() -> None:
    bare = load_example("resnet18-int8").df.iloc[:0]
    assert isinstance(CHARTS["$name"].value.make(Subject(bare)), Empty)


def test_it_is_in_the_notebook_the_page_and_the_workbook(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    openpyxl = pytest.importorskip("openpyxl")
    plan = load_example("resnet18-int8")
    assert "$title" in report_card_perf_overview(plan)
    report = report_document(plan)
    assert 'id="chart-$name"' in write_document(report, tmp_path / "x.html").read_text("utf-8")
    sheet = openpyxl.load_workbook(write_document(report, tmp_path / "x.xlsx"))["Performance"]
    titles = ["".join(run.t for part in chart.title.tx.rich.p for run in part.r) for chart in sheet._charts]
    assert any(title.startswith("$title") for title in titles)
''')

SECTION = Template('''\
"""One sentence: what this section of ``trex perf`` shows."""

from __future__ import annotations

from trex.core.counted import counted
from trex.perf.performance import Performance
from trex.views.document import Detail, Section, SectionPlug, section


def make(performance: Performance, detail: Detail) -> Section | None:
    """None where it does not apply; figures have units, unknown ones are left out and counted."""
    layers = performance.plan.layers
    if not layers:
        return None
    steps = (("layers", f"{len(layers)} = working layers, in execution order"),) if detail.explain else ()
    return section(
        statements=(f"The engine has {counted(len(layers), 'layer')}.",),
        derivations=steps,
        data={"layers": len(layers)},
    )


SECTION = SectionPlug("$title", 990, make)
''')

SECTION_TEST = Template('''\
"""The section ``$name`` of ``trex perf``."""

import pytest

from trex.cli.main import main
from trex.engine_plan import load_example
from trex.perf.performance import Performance
from trex.views.document import Detail
from trex.views.performance.document import SECTIONS


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perf", "example:resnet18-int8", "--section", "$name"]) == 0
    assert "The engine has 35 layers." in capsys.readouterr().out


def test_steps_are_shown_on_request() -> None:
    performance = Performance(load_example("resnet18-int8"))
    make = SECTIONS["$name"].value.make
    assert make(performance, Detail(explain=True)).derivations and not make(performance, Detail()).derivations
''')

DOCUMENT_FORMAT = Template('''\
"""$title: one sentence on what this file is for."""

from __future__ import annotations

from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.views.document import Document


def render(document: Document, style: RenderStyle) -> str:
    """The file's content. Names are an engine's: whatever they contain, the file must stay a valid one."""
    lines = (document.title, *(sentence for section in document.sections for sentence in section.statements))
    return "".join(f"{printable(line)}\\n" for line in lines)


FORMAT = DocumentFormat((".$name",), render)
''')

DOCUMENT_FORMAT_TEST = Template('''\
"""The format ``$name`` of documents."""

from pathlib import Path

from trex.cli.main import main


def test_the_ending_of_the_file_asks_for_it(tmp_path: Path) -> None:
    file = tmp_path / "engine.$name"
    for command in ("summary", "perf", "report"):
        assert main([command, "example:resnet18-int8", "--output", str(file)]) == 0
        assert file.read_text("utf-8").startswith("resnet18-int8\\n")
''')
