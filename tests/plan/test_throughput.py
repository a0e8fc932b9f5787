"""Queries per second, where trtexec counts the items of an implicit batch."""

from __future__ import annotations

from array import array

import pytest

from tests.factories import conv, engine, t
from trex.compare.engine_facts import facts_of
from trex.core.metadata import LatencySummary, Metadata
from trex.core.timings import QueryTimes
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.throughput import queries_per_s
from trex.plan.throughput_contradictions import THROUGHPUT_OF_ITEMS
from trex.plan.time_units import contradictions


def run(batch: object, throughput: object = 128_000.0) -> Metadata:
    options = {} if batch is None else {"Batch": batch}
    line = LatencySummary(0.9, 0.9, 0.9, 0.9)
    latency = {"GPU Compute Time": line, "Latency": line}
    return Metadata(inference_options=options, performance={"Throughput": throughput}, latency=latency)


@pytest.mark.parametrize(
    ("batch", "throughput", "expected"),
    [
        ("128", 128_000.0, 1_000.0),
        (128, 128_000.0, 1_000.0),
        ("1", 1_000.0, 1_000.0),
        ("Explicit", 1_000.0, 1_000.0),
        (None, 1_000.0, 1_000.0),
        ("1e300", 1_000.0, 1_000.0),
        ("-8", 1_000.0, 1_000.0),
        ("8", float("nan"), None),
        ("8", -1.0, None),
    ],
)
def test_queries_per_second(batch: object, throughput: float, expected: float | None) -> None:
    assert queries_per_s(run(batch, throughput)) == expected


def test_an_implicit_batch_contradicts_no_time_and_a_note_names_it() -> None:
    starts = [float(index) for index in range(50)]
    columns = {"startComputeMs": array("d", starts), "computeMs": array("d", [0.9] * 50)}
    notes = contradictions(None, QueryTimes(columns, 0, "m.timing.json"), run("128"))
    assert [(note.code, note.severity) for note in notes] == [(THROUGHPUT_OF_ITEMS, "info")]
    assert "128 items a query" in notes[0].message


def test_figures_of_an_implicit_batch() -> None:
    source = t("x", [3, 8, 8])
    plan = EnginePlan(engine(conv("c", [source], [t("y", [4, 8, 8])]), inputs=["x"]), metadata=run("128"))
    performance = Performance(plan)
    measures = performance.reconciliation.measures
    assert measures.wall.ms == pytest.approx(1.0)
    assert measures.in_flight == pytest.approx(0.9)
    facts = facts_of(performance, "m")
    assert (facts.throughput, facts.batch, facts.images_per_s) == (1_000.0, 128, 128_000.0)
