"""Latency of an inference: GPU compute and transfers."""

from trex.compare.metric import Metric
from trex.compare.run_settings import STREAMS, TRANSFERS

METRIC = Metric("ms", column="latencyMs", fewest=2, settings=(TRANSFERS, STREAMS))
