"""Time of each matched layer whose name or type fits GLOB."""

from trex.compare.metric import Metric
from trex.compare.run_settings import OPTIMIZATION_PROFILE, WEIGHT_BUDGET
from trex.plan.join import OTHER_ITERATIONS, WRONG_RECORDS
from trex.plan.layer_statistics import WRONG_MEDIANS
from trex.plan.time_notes import SHARES_CONTRADICT

COPIED_PROFILE = "layer-times-of-other-side"
"""Code of the problem that both sides have one layer profile, and not one run."""

METRIC = Metric(
    "ms",
    per_layer=True,
    of_layers=True,
    settings=(
        OPTIMIZATION_PROFILE,
        WEIGHT_BUDGET,
    ),
    doubts=(*WRONG_RECORDS, OTHER_ITERATIONS, SHARES_CONTRADICT, WRONG_MEDIANS, COPIED_PROFILE),
)
