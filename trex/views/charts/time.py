"""Charts of per-query times: their distribution, and one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from trex.core.counted import counted
from trex.views.chart import Chart, Subject
from trex.views.plot import Axis, Empty, Histogram, Lines

NO_QUERY_TIMES = Empty("no per-query times", "write them with trtexec --exportTimes=FILE, or with trex process -p")
_PREDICTED = Empty("the time of a query is one predicted number", "a run on a GPU shows how times scatter")
_MARKED = (50.0, 90.0, 99.0)
_MEASURES = {"computeMs": "GPU compute time", "latencyMs": "latency"}


def query_lines(
    latencies_ms: Sequence[float], measure: str = "latency", warm_up_rows: int | None = None
) -> Lines | Empty:
    """Times over queries, with median and 99th percentile. warm_up_rows: how many queries are of the warm-up, None if
    unknown.

    Percentiles are interpolated (numpy's default) over finite times after the warm-up.
    """
    known = [value for value in latencies_ms[warm_up_rows or 0 :] if isfinite(value)]
    if not known:
        return NO_QUERY_TIMES
    missing = len(latencies_ms) - (warm_up_rows or 0) - len(known)
    left_out = f"{counted(missing, 'query', 'queries')} without a time left out" if missing else ""
    unknown = "may include queries of the warm-up" if warm_up_rows is None else ""
    median, high = (float(value) for value in np.percentile(known, (50, 99)))
    return Lines(
        [float(row) for row in range(len(latencies_ms))],
        {"time": list(latencies_ms)},
        Axis("query"),
        Axis(measure, "ms"),
        bands=[("warm-up", 0.0, float(warm_up_rows))] if warm_up_rows else [],
        levels={f"median {median:.4g} ms": median, f"99 % below {high:.4g} ms": high},
        note=", ".join(filter(None, (left_out, unknown))),
    )


def _lines(subject: Subject) -> Lines | Empty:
    plan = subject.plan
    if plan is None or plan.query_times is None or not len(plan.query_times):
        return NO_QUERY_TIMES
    if subject.performance is not None and subject.performance.is_bare_prediction:
        return _PREDICTED
    columns = plan.query_times.columns
    for name, measure in _MEASURES.items():
        if name in columns:
            return query_lines(columns[name], measure, plan.query_times.warm_up_rows)
    return NO_QUERY_TIMES


def _distribution(subject: Subject) -> Histogram | Empty:
    plan, performance = subject.plan, subject.performance
    if plan is None or performance is None or plan.query_times is None:
        return NO_QUERY_TIMES
    statistics = performance.samples.main
    if statistics is None:
        return NO_QUERY_TIMES
    if performance.is_bare_prediction:
        return _PREDICTED
    percentiles = statistics.percentiles.items()
    return Histogram(
        list(plan.query_times.columns[statistics.name])[statistics.warm_up_rows :],
        Axis(statistics.label, "ms"),
        count_title="queries",
        marks={f"{share:g} %": value for share, value in percentiles if share in _MARKED and value == value},
        note=statistics.left_out,
    )


CHARTS = (
    Chart(
        "latency-histogram",
        "Distribution of per-query times",
        "One narrow peak is a steady measurement. Two peaks are two states of the machine (clocks, other work). A long "
        "tail raises the 99th percentile.",
        _distribution,
        "time",
    ),
    Chart(
        "per-query-times",
        "Per-query times",
        "Shows the warm-up at the beginning, steps where the level changed (clocks, another process), and spikes. A "
        "flat line is steady; anything else limits what comparisons can show.",
        _lines,
        "time",
    ),
)
