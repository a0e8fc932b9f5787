"""Texts of new plugs of the report — a chart, a part, a format, a section of ``trex perf`` — for utils/new.py."""

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
''')

PART = Template('''\
"""One sentence: what this part of the report tells."""

from __future__ import annotations

from trex.core.counted import counted
from trex.views.chart import Subject
from trex.views.performance.section import Content
from trex.views.report.report import Part, PartMaker

TITLE = "$title"


def make(subject: Subject) -> Part | None:
    """None where there is nothing to tell. ``part_of`` makes a part of sections and groups of charts."""
    if subject.plan is None or not subject.plan.layers:
        return None
    told = f"The engine has {counted(len(subject.plan.layers), 'layer')}."
    return Part("$name", TITLE, Content(statements=(told,)))


PART = PartMaker(TITLE, 990, make)
''')

PART_TEST = Template('''\
"""The part of the report ``$name``."""

from trex.engine_plan import load_example
from trex.views.chart import Subject
from trex.views.report.card import report_card
from trex.views.report.report import PARTS


def test_it_stands_in_the_report() -> None:
    plan = load_example("resnet18-int8")
    part = next(part for part in report_card(plan).parts if part.name == "$name")
    assert part.content.statements == (f"The engine has {len(plan.layers)} layers.",)


def test_for_a_bare_table_it_is_left_out() -> None:
    bare = Subject(load_example("resnet18-int8").df)
    assert PARTS["$name"].value.make(bare) is None
''')

SECTION = Template('''\
"""One sentence: what this section of ``trex perf`` tells."""

from __future__ import annotations

from trex.core.counted import counted
from trex.perf.performance import Performance
from trex.views.performance.section import Content, Detail, Section


def make(performance: Performance, detail: Detail) -> Content | None:
    """None where there is nothing to tell; figures with their units, what is unknown left out and counted."""
    layers = performance.plan.layers
    if not layers:
        return None
    steps = (("layers", f"{len(layers)} = those that work, in execution order"),) if detail.explain else ()
    return Content(
        statements=(f"The engine has {counted(len(layers), 'layer')}.",),
        derivations=steps,
        data={"layers": len(layers)},
    )


SECTION = Section("$title", 990, make)
''')

SECTION_TEST = Template('''\
"""The section ``$name`` of ``trex perf``."""

import pytest

from trex.cli.main import main
from trex.engine_plan import load_example
from trex.perf.performance import Performance
from trex.views.performance.section import SECTIONS, Detail


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perf", "example:resnet18-int8", "--section", "$name"]) == 0
    assert "The engine has 35 layers." in capsys.readouterr().out


def test_steps_are_told_to_who_asks() -> None:
    performance = Performance(load_example("resnet18-int8"))
    make = SECTIONS["$name"].value.make
    assert make(performance, Detail(explain=True)).derivations and not make(performance, Detail()).derivations
''')

REPORT_FORMAT = Template('''\
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
''')

REPORT_FORMAT_TEST = Template('''\
"""The format ``$name`` of reports."""

from pathlib import Path

from trex.cli.main import main
from trex.engine_plan import load_example
from trex.views.report.card import report_card


def test_the_ending_of_the_file_asks_for_it(tmp_path: Path) -> None:
    file = tmp_path / "engine.$name"
    assert main(["report", "example:resnet18-int8", "--output", str(file)]) == 0
    assert len(file.read_text("utf-8").splitlines()) == 1 + len(report_card(load_example("resnet18-int8")).parts)
''')
