"""99th percentile of the latency."""

from __future__ import annotations

import math

from trex.compare.metric import Metric, scatter_of_errors
from trex.compare.run_settings import OPTIMIZATION_PROFILE, STREAMS, TRANSFERS, WEIGHT_BUDGET
from trex.perf.performance import Performance
from trex.perf.samples.plan_samples import duration_of
from trex.perf.samples.series import usable
from trex.plan.time_notes import PERCENTILES_CONTRADICT

UNKNOWN_WARM_UP = "warm-up-unknown"
"""Code of the Note that the warm-up of one of two runs is known and left out, and that of the other is not."""
_SHARE, _Z = 0.99, 1.959964
_KEY = "latencyMs"


def p99_ms(performance: Performance) -> float | None:
    """Of the per-query times, else as trtexec's summary reports it; in milliseconds."""
    column = performance.samples.columns.get(_KEY)
    if column is not None and column.count:
        return column.percentiles.get(100.0 * _SHARE)
    summary = performance.plan.metadata.latency.get("Latency")
    return None if summary is None else summary.percentiles.get(100.0 * _SHARE)


def _error(performance: Performance) -> float | None:
    """Relative standard error: half the 95 % interval between order statistics over 1.96, ranks
    0.99 n ± 1.96 √(0.99 · 0.01 · m) · n / m for m effective of n samples (Conover 1999). None if the samples don't
    reach beyond the upper rank.
    """
    column, queries = performance.samples.columns.get(_KEY), performance.plan.query_times
    values = None if queries is None else duration_of(queries, _KEY)
    if column is None or not column.count or queries is None or values is None:
        return None
    ordered = sorted(usable(values, queries.warm_up_rows or 0).values)
    count = len(ordered)
    effective = max(column.autocorrelation.effective_for_median or float(count), 1.0)
    reach = _Z * math.sqrt(_SHARE * (1.0 - _SHARE) / effective) * count
    low, high = math.floor(_SHARE * count - reach), math.ceil(_SHARE * count + reach)
    middle = p99_ms(performance)
    if high >= count or not middle:
        return None
    return float(ordered[high] - ordered[max(low, 0)]) / (2.0 * _Z * middle)


METRIC = Metric(
    "ms",
    read=p99_ms,
    scatter=scatter_of_errors(_error),
    doubts=(PERCENTILES_CONTRADICT, UNKNOWN_WARM_UP),
    fewest=100,
    settings=(TRANSFERS, STREAMS, OPTIMIZATION_PROFILE, WEIGHT_BUDGET),
)
