"""Traces: every timed layer once, in order, on its stream; every query as it was measured."""

from __future__ import annotations

import importlib.util
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.synthetic import CASES, Case
from tests.synthetic.engines import synthetic_engine
from trex.engine_plan import EnginePlan, load
from trex.export.document import format_of, write_document
from trex.views.report.document import report_document

READABLE = [case for case in CASES.values() if not case.expect.error]


def written(plan: EnginePlan, path: Path) -> Any:
    return json.loads(write_document(report_document(plan), path).read_text(encoding="utf-8"))


def test_endings_choose_the_formats() -> None:
    assert (
        format_of("x.trace.json", "report").name == "trace" and format_of("x.perfetto.json", "report").name == "trace"
    )
    assert (
        format_of("x.speedscope.json", "report").name == "speedscope" and format_of("x.json", "report").name == "json"
    )


def test_layers_stand_one_after_the_other(tmp_path: Path) -> None:
    plan = synthetic_engine("resnet18-int8")
    document = written(plan, tmp_path / "x.trace.json")
    layers = [event for event in document["traceEvents"] if event["ph"] == "X" and event["pid"] == 1]
    assert [event["args"]["index"] for event in layers] == [layer.index for layer in plan.layers]
    for before, after in pairwise(layers):
        assert after["ts"] == pytest.approx(before["ts"] + before["dur"], abs=0.002)
    assert sum(event["dur"] for event in layers) == pytest.approx(1000 * plan.total_runtime, rel=1e-4)
    assert "synthetic" in document["otherData"]["statement"]


def test_queries_stand_where_they_were_measured(tmp_path: Path) -> None:
    plan = synthetic_engine("resnet18-int8")
    document = written(plan, tmp_path / "x.trace.json")
    queries = [event for event in document["traceEvents"] if event["ph"] == "X" and event["pid"] == 2]
    assert plan.query_times is not None
    columns = plan.query_times.columns
    compute = [event for event in queries if event["cat"] == "GPU compute"]
    assert len(compute) == min(2000, len(plan.query_times))
    assert compute[0]["dur"] == pytest.approx(1000 * columns["computeMs"][0], abs=0.001)
    assert min(event["ts"] for event in queries) == 0


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_flames_open_and_close_in_order(case: Case, tmp_path: Path) -> None:
    missing = [package for package in case.needs if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    plan = load(case.write(tmp_path))
    written(plan, tmp_path / "written.trace.json")
    document = written(plan, tmp_path / "written.speedscope.json")
    (profile,) = document["profiles"]
    stack: list[int] = []
    last = 0.0
    for event in profile["events"]:
        assert event["at"] >= last
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            assert stack.pop() == event["frame"]
    assert not stack
    known = [time.average_ms for time in plan.times if time and time.average_ms and time.average_ms > 0]
    assert profile["endValue"] == pytest.approx(sum(known), rel=1e-6, abs=1e-9)


def test_modules_hold_their_layers(tmp_path: Path) -> None:
    plan = synthetic_engine("transformer-fp16")
    document = written(plan, tmp_path / "x.speedscope.json")
    names = [frame["name"] for frame in document["shared"]["frames"]]
    assert any(name.startswith("/") for name in names)
