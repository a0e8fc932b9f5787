"""GPU compute: time from the first to the last kernel of an inference."""

from trex.compare.metric import Metric
from trex.compare.run_settings import OPTIMIZATION_PROFILE, STREAMS, WEIGHT_BUDGET

METRIC = Metric("ms", column="computeMs", fewest=2, settings=(STREAMS, OPTIMIZATION_PROFILE, WEIGHT_BUDGET))
