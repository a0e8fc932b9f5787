"""Peak of the memory that activations take at once, by the sizes of the tensors."""

from trex.compare.metric import Metric
from trex.perf.performance import Performance


def memory_mib(performance: Performance) -> float | None:
    """In MiB; None if a tensor's size is unknown, or the graph lacks layers."""
    memory = performance.memory
    if memory.peak is None or memory.is_lower_bound or performance.plan.lacks_layers:
        return None
    return memory.peak.size_bytes / (1 << 20)


METRIC = Metric("MiB", read=memory_mib, is_exact=True, of_layers=True)
