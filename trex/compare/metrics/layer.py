"""Time of each matched layer whose name or type fits GLOB."""

from trex.compare.metric import Metric

METRIC = Metric("ms", per_layer=True)
