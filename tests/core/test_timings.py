"""LayerTimes and QueryTimes: sums over what is known, columns of equal length."""

from __future__ import annotations

from array import array

from trex.core.timings import LayerTime, LayerTimes, QueryTimes


def record(average_ms: float | None) -> LayerTime:
    return LayerTime("conv", 0, None, average_ms, None, None)


def test_the_total_skips_what_is_not_known() -> None:
    assert LayerTimes((record(1.5), record(None), record(2.0))).total_average_ms == 3.5


def test_no_records_sum_to_zero() -> None:
    assert LayerTimes(()).total_average_ms == 0


def test_query_times_are_columns() -> None:
    times = QueryTimes({"latencyMs": array("d", [1.0, 2.0]), "computeMs": array("d", [0.5, 1.5])})
    assert len(times) == 2
    assert list(times.latency_ms) == [1.0, 2.0]


def test_no_queries() -> None:
    assert len(QueryTimes({})) == 0
    assert list(QueryTimes({}).latency_ms) == []
