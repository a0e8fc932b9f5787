"""GPU compute: time from the first to the last kernel of an inference."""

from trex.compare.metric import Metric
from trex.compare.run_settings import STREAMS

METRIC = Metric("ms", column="computeMs", fewest=2, settings=(STREAMS,))
