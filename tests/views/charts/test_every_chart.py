"""Every chart over every engine: a plot that renderers can draw, or one sentence that says why there is none."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.engines import READABLE
from tests.simulated_examples import SIMULATED
from tests.synthetic import Case
from trex.engine_plan import load
from trex.export.figures.figure import described
from trex.views.chart import CHARTS, GROUPS, Subject, charts_of
from trex.views.plot import Empty
from trex.views.report.document import report_document


def test_every_chart_has_a_known_group_a_title_and_an_explanation() -> None:
    assert CHARTS.plugs.broken == ()
    charts = list(CHARTS.values())
    assert {chart.group for chart in charts} == set(GROUPS)
    assert len({chart.title for chart in charts}) == len(charts)
    for chart in charts:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", chart.name)
        assert chart.explanation[0].isupper() and chart.explanation.endswith("."), chart.name


def test_charts_are_sorted_by_group_and_file() -> None:
    groups = [chart.group for chart in CHARTS.values()]
    assert groups == sorted(groups, key=GROUPS.index)
    files = {chart.name: plug.name for plug in CHARTS.plugs.values() for chart in plug.value}
    memory = [files[chart.name] for chart in charts_of("memory")]
    assert memory == ["memory"] * 6 + ["memory-timeline", "weights-by-module"]


def test_every_chart_is_in_the_report_once() -> None:
    document = report_document(load(str(SIMULATED / "resnet18-int8")))
    blocks = [block for part in document.sections for block in part.plots]
    of_builds = {chart.name for chart in charts_of("build")}  # shown with a verbose log
    assert sorted(block.name for block in blocks) == sorted(set(CHARTS) - of_builds)
    assert all(block.explanation for block in blocks)


def test_the_classic_report_card_is_whole() -> None:
    counts = Counter(chart.group for chart in CHARTS.values() if chart.is_classic)
    assert counts == {"performance": 10, "convolutions": 13, "memory": 6, "reformats": 3, "gemms": 7, "efficiency": 7}


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_chart_works_or_says_why_not(case: Case, tmp_path: Path) -> None:
    subject = Subject.of_plan(load(case.write(tmp_path)))
    _try_all(subject)


def test_every_chart_takes_a_bare_table(example_frame) -> None:
    for frame in (example_frame, example_frame.iloc[:0], example_frame[["Name", "type"]]):
        _try_all(Subject(frame.copy()))


@pytest.fixture
def example_frame():
    return load(str(SIMULATED / "resnet18-int8")).df


def _try_all(subject: Subject) -> None:
    for name, chart in CHARTS.items():
        plot = chart.plot(subject)
        if isinstance(plot, Empty):
            assert plot.reason and plot.reason[0].islower(), name
        else:
            assert plot.title == subject.titled(chart.title), name
        json.dumps(described(plot), allow_nan=False)


def test_real_engines(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        _try_all(Subject.of_plan(load(folder)))
