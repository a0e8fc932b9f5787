"""Traces: every timed layer once, in order, on its stream; every query as it was measured."""

from __future__ import annotations

import json
from array import array
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.engines import READABLE
from tests.factories import conv, engine, t, time
from tests.simulated_examples import load_simulated
from tests.synthetic import Case
from tests.synthetic.engines import synthetic_engine
from trex.core.note import Note
from trex.core.timings import LayerTimes, QueryTimes
from trex.engine_plan import load
from trex.export.document import format_of, write_document
from trex.plan.engine_plan import EnginePlan as CorePlan
from trex.views.chart import Subject
from trex.views.charts.module_icicle import CHARTS
from trex.views.plot import Tree
from trex.views.report.document import report_document


def written(plan: CorePlan, path: Path) -> Any:
    return json.loads(write_document(report_document(plan), path).read_text(encoding="utf-8"))


def test_endings_choose_the_formats() -> None:
    assert (
        format_of("x.trace.json", "report").name == "trace" and format_of("x.perfetto.json", "report").name == "trace"
    )
    assert format_of("x.speedscope.json", "report").name == "trace" and format_of("x.json", "report").name == "json"


def test_layers_stand_one_after_the_other(tmp_path: Path) -> None:
    plan = synthetic_engine("resnet18-int8")
    document = written(plan, tmp_path / "x.trace.json")
    layers = [event for event in document["traceEvents"] if event["ph"] == "X" and event["pid"] == 1]
    assert [event["args"]["index"] for event in layers] == [layer.index for layer in plan.working_layers]
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


def test_what_a_trace_lacks_is_said_in_it(tmp_path: Path) -> None:
    layers = [replace(conv(name, [t("x")], [t("y")]), profile=1) for name in ("a", "b")]
    whole = engine(*layers, replace(conv("c", [t("x")], [t("y")]), profile=0))
    plan = CorePlan(whole, LayerTimes((time("a", 0.5),)), profile_id=1)
    plan.notes = (*plan.notes, Note("truncated", "the file is cut off", severity="problem"))
    document = written(plan, tmp_path / "x.trace.json")
    about = document["otherData"]
    assert (about["profile"], about["partial"]) == ("optimization profile 1 of 2", "the times are in 1 of 2 layers")
    assert (
        about["problems"] == ["the file is cut off"] and "no profile record for 1 of 2 layers" in about["warnings"][0]
    )
    names = [event["args"]["name"] for event in document["traceEvents"] if event["name"] == "process_name"]
    assert names == ["one inference: layers by average time in 1 of 2 layers"]


def test_predicted_queries_are_not_measured_ones(tmp_path: Path) -> None:
    events = written(load_simulated("resnet18-int8"), tmp_path / "x.trace.json")["traceEvents"]
    names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
    assert [name for name in names if "queries" in name] == ["queries, not measured"]


def test_queries_of_the_warm_up_are_named_so(tmp_path: Path) -> None:
    columns = {"startComputeMs": array("d", (0.0, 1.0, 2.0)), "endComputeMs": array("d", (0.5, 1.5, 2.5))}
    times = QueryTimes(columns, warm_up_rows=1)
    plan = CorePlan(engine(conv("a", [t("x", [1, 8, 4, 4])], [t("y", [1, 8, 4, 4])])), query_times=times)
    queries = [event["name"] for event in written(plan, tmp_path / "x.trace.json")["traceEvents"] if event["pid"] == 2]
    assert queries[-3:] == ["warm-up query 0", "query 1", "query 2"]


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_flames_open_and_close_in_order(case: Case, tmp_path: Path) -> None:
    plan = load(case.write(tmp_path))
    document = written(plan, tmp_path / "written.speedscope.json")
    events = [event for event in document["traceEvents"] if event["ph"] == "X" and event["pid"] == 3]
    stack: list[float] = []
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"], event["cat"] != "module")):
        while stack and stack[-1] <= event["ts"] + 0.002:
            stack.pop()
        end = event["ts"] + event["dur"]
        assert event["dur"] < 0.01 or not stack or end <= stack[-1] + 0.002
        if event["dur"] >= 0.01:
            stack.append(end)


def test_modules_hold_their_layers(tmp_path: Path) -> None:
    plan = synthetic_engine("transformer-fp16")
    document = written(plan, tmp_path / "x.trace.json")
    events = [event for event in document["traceEvents"] if event["ph"] == "X" and event["pid"] == 3]
    assert any(event["cat"] == "module" and event["name"].startswith("/") for event in events)
    layers = [event["name"] for event in events if event["cat"] != "module"]
    assert layers == [
        layer.name for layer, time in zip(plan.working_layers, plan.times) if time and time.average_ms is not None
    ]
    top = [event for event in events if event["name"].count("/") == 1 and event["cat"] == "module"]
    timed = sum(event["dur"] for event in events if event["cat"] != "module")
    assert sum(event["dur"] for event in top) <= timed + 1


def test_very_deep_modules_are_not_distinguished(tmp_path: Path) -> None:
    """A layer's path of modules has as many prefixes as steps, so whole paths would take the square of a name."""
    name = "A/" * 3000 + "Conv"
    layers = [conv(f"{name}_{index}", [t(f"x{index}")], [t(f"x{index + 1}")]) for index in range(3)]
    layers = [replace(layer, module="/A" * 3000) for layer in layers]
    records = tuple(time(layer.name, 0.5) for layer in layers)
    plan = CorePlan(engine(*layers, inputs=["x0"]), LayerTimes(records))
    document = written(plan, tmp_path / "x.trace.json")
    assert sum(event["cat"] == "module" for event in document["traceEvents"] if event["ph"] == "X") <= 24
    tree = CHARTS[0].draw(Subject(plan.df))
    assert isinstance(tree, Tree) and max(map(len, tree.paths)) <= 26
