"""Host time to enqueue an inference."""

from trex.compare.metric import Metric

METRIC = Metric("ms", column="enqueueMs", fewest=2)
