"""Lines of trtexec's performance summary → statistics with percentiles, throughput and other numbers."""

from __future__ import annotations

import re
from typing import Any

from trex.core.metadata import LatencySummary

NUMBER = r"[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,4})?|\.[0-9]{1,40}|nan|inf)"

_STATISTIC = re.compile(rf"([a-z]+)(?:\(([0-9]{{1,3}}(?:\.[0-9]{{1,9}})?)%\))? = ({NUMBER}) ms", re.ASCII)
_QUANTITY = re.compile(rf"({NUMBER}) ?([A-Za-z/%]*)$", re.ASCII)


def add_performance(performance: dict[str, Any], latency: dict[str, LatencySummary], message: str) -> None:
    """Adds one line of the performance summary.

    ``Latency: min = …`` becomes a LatencySummary in milliseconds, and in ``performance`` the list [min, max, mean,
    median, percentiles …] of TREx's metadata files. ``Throughput: 6207.5 qps`` and ``Total Host Walltime: 3 s`` become
    numbers in trtexec's unit; other ``Key: value`` lines stay text.
    """
    text = message.strip(" \t")
    key, separator, value = text.partition(": ")
    if not separator or text.startswith("*"):
        return
    statistics = _STATISTIC.findall(value)
    if statistics:
        latency[key] = summary = _latency_summary(statistics)
        ordered = (summary.minimum_ms, summary.maximum_ms, summary.mean_ms, summary.median_ms)
        performance[key] = [number for number in ordered if number is not None] + list(summary.percentiles.values())
        return
    quantity = _QUANTITY.match(value)
    performance[key] = float(quantity[1]) if quantity else value


def _latency_summary(statistics: list[tuple[str, str, str]]) -> LatencySummary:
    plain = {name: float(number) for name, label, number in statistics if not label}
    percentiles = {float(label): float(number) for name, label, number in statistics if name == "percentile" and label}
    return LatencySummary(plain.get("min"), plain.get("max"), plain.get("mean"), plain.get("median"), percentiles)
