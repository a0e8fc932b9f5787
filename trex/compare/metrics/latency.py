"""Latency of an inference: GPU compute and transfers."""

from trex.compare.metric import Metric
from trex.compare.run_settings import STREAMS, TRANSFERS, WEIGHT_BUDGET

METRIC = Metric("ms", column="latencyMs", fewest=2, settings=(TRANSFERS, STREAMS, WEIGHT_BUDGET))
