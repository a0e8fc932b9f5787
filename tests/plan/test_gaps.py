"""Whether the GPU waits between the queries."""

from __future__ import annotations

from array import array

import pytest

from trex.core.metadata import LatencySummary, Metadata
from trex.core.timings import QueryTimes
from trex.plan.gaps import do_queries_overlap, has_no_gaps


def queries(enqueue_ms: float, apart_ms: float) -> QueryTimes:
    """Of 0.9 ms each."""
    starts = [index * apart_ms for index in range(50)]
    columns = {
        "startComputeMs": array("d", starts),
        "endComputeMs": array("d", [start + 0.9 for start in starts]),
        "enqueueMs": array("d", [enqueue_ms] * 50),
    }
    return QueryTimes(columns, 0, "m.timing.json")


@pytest.mark.parametrize(
    ("enqueue_ms", "apart_ms", "streams", "expected"),
    [
        (0.1, 1.0, "", True),
        (0.8, 1.0, "", False),
        (0.1, 0.5, "", False),  # queries overlap
        (0.1, 0.5, "1", True),  # but their starts cannot be right
        (0.1, 0.5, "2", False),
    ],
)
def test_by_the_queries(enqueue_ms: float, apart_ms: float, streams: str, expected: bool) -> None:
    run = Metadata(inference_options={"Inference Streams": streams} if streams else {})
    assert has_no_gaps(queries(enqueue_ms, apart_ms), run) is expected


@pytest.mark.parametrize(("enqueue_ms", "expected"), [(0.1, True), (0.8, False), (None, False)])
def test_by_the_summary(enqueue_ms: float | None, expected: bool) -> None:
    lines = {"GPU Compute Time": 0.9, "Enqueue Time": enqueue_ms}
    latency = {name: LatencySummary(ms, ms, ms, median_ms=ms) for name, ms in lines.items() if ms is not None}
    assert has_no_gaps(None, Metadata(inference_options={"Streams": "1"}, latency=latency)) is expected
    assert not has_no_gaps(None, Metadata(latency=latency))


@pytest.mark.parametrize(("apart_ms", "expected"), [(1.0, False), (0.9, False), (0.85, True), (0.3, True), (0.0, True)])
def test_queries_that_overlap(apart_ms: float, expected: bool) -> None:
    queue = queries(0.1, apart_ms)
    assert do_queries_overlap(queue) is expected
    turned = {name: array("d", reversed(column)) for name, column in queue.columns.items()}
    assert do_queries_overlap(QueryTimes(turned)) is expected


def test_without_points_in_time_it_is_unknown() -> None:
    columns = queries(0.1, 1.0).columns
    assert do_queries_overlap(None) is None
    assert do_queries_overlap(QueryTimes({"computeMs": columns["enqueueMs"]})) is None
    assert do_queries_overlap(QueryTimes({**columns, "startComputeMs": array("d", [float("nan")] * 50)})) is None
