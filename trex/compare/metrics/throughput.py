"""Queries per second; fewer are a regression: throughput<-3%."""

from __future__ import annotations

import math

import numpy as np

from trex.compare.metric import Metric, scatter_of_errors
from trex.compare.run_settings import OPTIMIZATION_PROFILE, STREAMS, TRANSFERS, WEIGHT_BUDGET
from trex.perf.performance import Performance
from trex.perf.samples.autocorrelation import autocorrelation_of
from trex.plan.time_notes import THROUGHPUT_CONTRADICTS

_FEWEST = 20


def queries_per_s(performance: Performance) -> float | None:
    """As trtexec's summary reports it; None without one."""
    return performance.reconciliation.measures.throughput


def _error(performance: Performance) -> float | None:
    """Relative standard error of the mean time from one query's end to the next: s / (mean √n), n: the effective
    number; None without per-query times.
    """
    queries = performance.plan.query_times
    ends = None if queries is None else queries.columns.get("endComputeMs")
    if ends is None or len(ends) < _FEWEST:
        return None
    gaps = np.diff(np.sort(np.asarray(ends, dtype=np.float64)))
    gaps = gaps[np.isfinite(gaps)]
    if len(gaps) < _FEWEST or not gaps.mean() > 0.0:
        return None
    effective = autocorrelation_of(gaps, float(np.median(gaps))).effective_for_mean or float(len(gaps))
    return float(gaps.std(ddof=1)) / (float(gaps.mean()) * math.sqrt(max(effective, 1.0)))


METRIC = Metric(
    "qps",
    read=queries_per_s,
    scatter=scatter_of_errors(_error),
    higher_is_better=True,
    doubts=(THROUGHPUT_CONTRADICTS,),
    settings=(TRANSFERS, STREAMS, OPTIMIZATION_PROFILE, WEIGHT_BUDGET),
)
