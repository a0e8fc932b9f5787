"""Every chart over every engine: a plot that readers can draw, or one sentence that says why there is none."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from tests.synthetic import CASES, Case
from trex.engine_plan import load
from trex.export.figures.figure import described
from trex.views.chart import CHARTS, GROUPS, Subject
from trex.views.plot import Empty

READABLE = [case for case in CASES.values() if not case.expect.error]


def test_no_chart_is_broken_and_each_has_its_place() -> None:
    assert CHARTS.broken == ()
    places = [(plug.value.group, plug.value.order) for plug in CHARTS.values()]
    assert len(set(places)) == len(places)
    assert {group for group, _ in places} <= set(GROUPS)
    titles = [plug.value.title for plug in CHARTS.values()]
    assert len(set(titles)) == len(titles)


def test_the_classic_report_card_is_whole() -> None:
    found = dict.fromkeys(GROUPS, 0)
    for plug in CHARTS.values():
        found[plug.value.group] += plug.value.is_classic
    assert found["performance"] == 10 and found["convolutions"] == 13 and found["memory"] == 6
    assert found["reformats"] == 3 and found["products"] == 7 and found["efficiency"] == 7


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_chart_works_or_says_why_not(case: Case, tmp_path: Path) -> None:
    missing = [package for package in case.needs if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    subject = Subject.of_plan(load(case.write(tmp_path)))
    _try_all(subject)


def test_every_chart_takes_a_bare_table(example_frame) -> None:
    for frame in (example_frame, example_frame.iloc[:0], example_frame[["Name", "type"]]):
        _try_all(Subject(frame.copy()))


@pytest.fixture
def example_frame():
    return load("example:resnet18-int8").df


def _try_all(subject: Subject) -> None:
    for name, plug in CHARTS.items():
        plot = plug.value.make(subject)
        assert plot is not None, name
        if isinstance(plot, Empty):
            assert plot.reason and plot.reason[0].islower(), name
        json.dumps(described(plot), allow_nan=False)


def test_real_engines(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        _try_all(Subject.of_plan(load(folder)))
