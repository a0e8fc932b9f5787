"""Latencies of queries → Plot: one after the other, with median and 99th percentile."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from trex.core.counted import counted
from trex.views.plot import Axis, Empty, Lines


def timing_plot(
    latencies_ms: Sequence[float], title: str = "Latency of every query", warm_up_rows: int = 0
) -> Lines | Empty:
    """Percentiles by linear interpolation (numpy's default), without the warm-up and without queries of no number."""
    known = [value for value in latencies_ms[warm_up_rows:] if isfinite(value)]
    if not known:
        return Empty("no query has a latency", "trtexec --exportTimes=FILE writes them")
    missing = len(latencies_ms) - warm_up_rows - len(known)
    median, high = (float(value) for value in np.percentile(known, (50, 99)))
    return Lines(
        title,
        [float(place) for place in range(len(latencies_ms))],
        {"time": list(latencies_ms)},
        Axis("query"),
        Axis("time", "ms"),
        bands=[("warm-up", 0.0, float(warm_up_rows))] if warm_up_rows else [],
        levels={f"median {median:.4g} ms": median, f"99 % below {high:.4g} ms": high},
        note=f"{counted(missing, 'query', 'queries')} without a number left out" if missing else "",
    )
