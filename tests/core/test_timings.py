"""QueryTimes: columns of equal length."""

from __future__ import annotations

from array import array

from trex.core.timings import QueryTimes


def test_query_times_are_columns() -> None:
    times = QueryTimes({"latencyMs": array("d", [1.0, 2.0]), "computeMs": array("d", [0.5, 1.5])})
    assert len(times) == 2
    assert list(times.latency_ms) == [1.0, 2.0]


def test_no_queries() -> None:
    assert len(QueryTimes({})) == 0
    assert list(QueryTimes({}).latency_ms) == []
