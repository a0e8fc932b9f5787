"""Time of each matched layer whose name or type fits GLOB."""

from trex.compare.metric import Metric
from trex.plan.join import WRONG_RECORDS

METRIC = Metric("ms", per_layer=True, doubts=WRONG_RECORDS)
