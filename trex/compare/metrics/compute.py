"""GPU compute: time from the first to the last kernel of an inference."""

from trex.compare.metric import Metric

METRIC = Metric("ms", column="computeMs", fewest=2)
