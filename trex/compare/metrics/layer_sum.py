"""Sum of all layer times of the profile."""

from __future__ import annotations

from trex.compare.layer_noise import ASSUMED_SCATTER
from trex.compare.layer_times import known_ms
from trex.compare.metric import Metric
from trex.compare.metrics.layer import COPIED_PROFILE
from trex.compare.plan_diff import PlanDiff
from trex.compare.run_settings import OPTIMIZATION_PROFILE, WEIGHT_BUDGET
from trex.perf.performance import Performance
from trex.plan.join import OTHER_ITERATIONS, WRONG_RECORDS
from trex.plan.layer_statistics import WRONG_MEDIANS
from trex.plan.time_notes import SHARES_CONTRADICT


def layer_sum_ms(performance: Performance) -> float | None:
    """In milliseconds; None if a layer has no time, or a hundredth of the profile's time no layer."""
    plan = performance.plan
    if plan.join is not None and plan.join.lacks_layers:
        return None
    total, is_known = known_ms(plan, range(len(plan.working_layers)))
    return total if is_known and total > 0.0 else None


def _scatter(diff: PlanDiff) -> float:
    """That of single layers: their sum scatters less."""
    scatter = diff.layer_scatter
    return ASSUMED_SCATTER if scatter is None else scatter


METRIC = Metric(
    "ms",
    read=layer_sum_ms,
    scatter=_scatter,
    of_layers=True,
    settings=(
        OPTIMIZATION_PROFILE,
        WEIGHT_BUDGET,
    ),
    doubts=(*WRONG_RECORDS, OTHER_ITERATIONS, SHARES_CONTRADICT, WRONG_MEDIANS, COPIED_PROFILE),
)
