"""EnginePlan → statistics of a run's latencies: trtexec's summary, or the same figures from the per-query times."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trex.core.metadata import LatencySummary
from trex.perf.samples.plan_samples import duration_of
from trex.perf.samples.series import usable
from trex.perf.samples.spread import percentiles
from trex.plan.engine_plan import EnginePlan

GPU_COMPUTE, LATENCY = "GPU Compute Time", "Latency"
_COLUMNS = {GPU_COMPUTE: "computeMs", LATENCY: "latencyMs"}
_LABELS = (90.0, 95.0, 99.0)


def latencies_of(plan: EnginePlan) -> Mapping[str, LatencySummary]:
    """{label: statistics in milliseconds}, labels as trtexec prints them.

    Without a summary in the files, GPU compute and latency are those of the per-query times without the warm-up, by
    trtexec's definitions of median and percentiles.
    """
    result = dict(plan.metadata.latency)
    queries = plan.query_times
    for label, key in _COLUMNS.items():
        column = duration_of(queries, key) if queries is not None and label not in result else None
        if queries is None or column is None:
            continue
        ordered = np.sort(usable(column, queries.warm_up_rows or 0).values)
        if len(ordered):
            middle, mean = float(np.median(ordered)), float(ordered.mean())
            ends = float(ordered[0]), float(ordered[-1])
            result[label] = LatencySummary(*ends, mean, middle, percentiles(ordered, _LABELS))
    return result
