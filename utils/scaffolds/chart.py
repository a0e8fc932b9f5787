"""A chart in notebook, page and workbook."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/charts",
    plug='''\
"""One sentence: what the chart shows."""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, layer_indexes, numbers, texts
from trex.views.plot import Axis, Bars, Empty


def _draw(subject: Subject) -> Bars | Empty:
    """A plot of the known values, or Empty with the reason. It must work for every engine."""
    frame = subject.frame
    sizes = numbers(frame, "total_io_size_bytes")
    if not sizes.notna().any():
        return NO_LAYERS
    return Bars(
        texts(frame, "Name"),
        sizes.tolist(),
        Axis("layers in execution order"),
        Axis("inputs and outputs", "bytes"),
        keys=texts(frame, "type"),
        key_title="type",
        shows_names=False,
        layers=layer_indexes(frame),
    )


CHARTS = (Chart("$name", "$title", "What it shows and how to read it.", _draw, "performance"),)
''',
    test='''\
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
    plot = CHARTS["$name"].plot(Subject.of_plan(plan))
    assert isinstance(plot, Bars)
    assert len(plot.values) == len(plan.working_layers) == len(plot.layers)
    assert described(plot)["layout"]["yaxis"]["title"]["text"] == "inputs and outputs (bytes)"


def test_without_layers_it_says_so() -> None:
    bare = load_example("resnet18-int8").df.iloc[:0]
    assert isinstance(CHARTS["$name"].plot(Subject(bare)), Empty)


def test_it_is_in_the_notebook_the_page_and_the_workbook(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    openpyxl = pytest.importorskip("openpyxl")
    plan = load_example("resnet18-int8")
    assert "$title" in report_card_perf_overview(plan)
    report = report_document(plan)
    assert 'data-chart="$name"' in write_document(report, tmp_path / "x.html").read_text("utf-8")
    sheet = openpyxl.load_workbook(write_document(report, tmp_path / "x.xlsx"))["Performance"]
    titles = ["".join(run.t for part in chart.title.tx.rich.p for run in part.r) for chart in sheet._charts]
    assert any(title.startswith("$title") for title in titles)
''',
)
