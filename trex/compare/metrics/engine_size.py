"""Size of the serialized engine, as a log of its build or of its loading reports it."""

from trex.compare.metric import Metric
from trex.perf.performance import Performance


def engine_mib(performance: Performance) -> float | None:
    """In MiB; None without a log."""
    known = performance.plan.milestones
    return known.get("engine_size_mib", known.get("loaded_engine_mib"))


METRIC = Metric("MiB", read=engine_mib, is_exact=True)
