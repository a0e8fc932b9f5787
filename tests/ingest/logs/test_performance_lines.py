"""Lines of trtexec's performance summary."""

from __future__ import annotations

from typing import Any

from trex.core.metadata import LatencySummary
from trex.ingest.logs.performance_lines import add_performance


def test_statistics_with_any_percentiles() -> None:
    performance: dict[str, Any] = {}
    latency: dict[str, LatencySummary] = {}
    for line in (
        "Throughput: 6207.5 qps",
        "Latency: min = 0.1 ms, max = 0.5 ms, mean = 0.2 ms, median = 0.15 ms, percentile(90%) = 0.3 ms, "
        "percentile(99.9%) = 4e-01 ms",
        "End-to-End Host Latency: min = 1 ms, max = 2 ms, mean = 1.5 ms, median = 1.4 ms, percentile(99%) = nan ms",
        "Total Host Walltime: 3 s",
        "New Figure: 12 things per day",
        "Explanations of the performance metrics are printed in the verbose logs.",
    ):
        add_performance(performance, latency, line)
    assert latency["Latency"] == LatencySummary(0.1, 0.5, 0.2, 0.15, {90.0: 0.3, 99.9: 0.4})
    assert performance["Latency"] == [0.1, 0.5, 0.2, 0.15, 0.3, 0.4]
    assert performance["Throughput"] == 6207.5
    assert performance["Total Host Walltime"] == 3.0
    assert performance["New Figure"] == "12 things per day"
    assert list(latency) == ["Latency", "End-to-End Host Latency"]
    assert len(performance) == 5
