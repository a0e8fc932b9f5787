"""Size of the serialized engine, as trtexec's log of its build or of its run reports it."""

from trex.compare.metric import Metric
from trex.perf.performance import Performance
from trex.plan.time_notes import EARLIER_ENGINE


def engine_mib(performance: Performance) -> float | None:
    """In MiB; None without a log. TensorRT's own ``Loaded engine size: 12 MiB`` does not count: it lacks the fraction,
    so that 12.6 MiB in the other log would be a regression of 5 %.
    """
    return performance.plan.milestones.get("engine_size_mib")


_STRIPPED = tuple(f"build option {key}" for key in ("Strip weights", "Strip All Weights"))

METRIC = Metric("MiB", read=engine_mib, is_exact=True, doubts=(EARLIER_ENGINE,), settings=_STRIPPED)
