"""Latency of an inference: GPU compute and transfers."""

from trex.compare.metric import Metric

METRIC = Metric("ms", column="latencyMs", fewest=2)
