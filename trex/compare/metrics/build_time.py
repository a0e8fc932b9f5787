"""Time to build the engine, as the log of the build reports it."""

from trex.compare.metric import Metric
from trex.perf.performance import Performance
from trex.plan.build_contradictions import BUILD_TIME_CONTRADICTS
from trex.plan.time_notes import EARLIER_ENGINE


def built_s(performance: Performance) -> float | None:
    """In seconds; None without a log."""
    return performance.plan.milestones.get("engine_built_s")


METRIC = Metric("s", read=built_s, by_machine=False, doubts=(BUILD_TIME_CONTRADICTS, EARLIER_ENGINE))
