"""Latency of an inference: GPU compute and transfers."""

from trex.compare.metric import Metric
from trex.compare.run_settings import OPTIMIZATION_PROFILE, STREAMS, TRANSFERS, WEIGHT_BUDGET

METRIC = Metric("ms", column="latencyMs", fewest=2, settings=(TRANSFERS, STREAMS, OPTIMIZATION_PROFILE, WEIGHT_BUDGET))
