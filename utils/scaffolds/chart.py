"""A chart in notebook, page and workbook."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/charts",
    plug='''\
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
''',
    test='''\
"""The chart ``$name``."""

from pathlib import Path

import pytest

from trex.engine_plan import load_example
from trex.export.figures.figure import described
from trex.export.report import write_report
from trex.report_card import report_card_perf_overview
from trex.views.chart import CHARTS, Subject
from trex.views.plot import Bars, Empty
from trex.views.report.card import report_card


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
    report = report_card(plan)
    assert 'id="chart-$name"' in write_report(report, tmp_path / "x.html").read_text("utf-8")
    sheet = openpyxl.load_workbook(write_report(report, tmp_path / "x.xlsx"))["Performance"]
    titles = ["".join(run.t for part in each.title.tx.rich.p for run in part.r) for each in sheet._charts]
    assert any(title.startswith("$title") for title in titles)
''',
)
