"""Host time to enqueue an inference."""

from trex.compare.metric import Metric
from trex.plan.time_notes import ENQUEUE_CONTRADICTS

METRIC = Metric("ms", column="enqueueMs", doubts=(ENQUEUE_CONTRADICTS,), fewest=2)
