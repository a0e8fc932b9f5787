"""Time to build the engine, as the log of the build reports it."""

from trex.compare.metric import Metric
from trex.perf.performance import Performance


def built_s(performance: Performance) -> float | None:
    """In seconds; None without a log."""
    return performance.plan.milestones.get("engine_built_s")


METRIC = Metric("s", read=built_s, by_machine=False)
