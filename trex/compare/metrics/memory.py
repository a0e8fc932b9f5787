"""Peak of the memory that activations take at once, by the sizes of the tensors."""

from trex.compare.metric import Metric
from trex.perf.performance import Performance


def memory_mib(performance: Performance) -> float | None:
    """In MiB; None if a tensor's size is unknown, or the graph lacks layers."""
    memory = performance.memory
    is_known = memory.peak is not None and not memory.is_lower_bound and not performance.plan.lacks_layers
    return memory.peak.size_bytes / (1 << 20) if is_known and memory.peak is not None else None


METRIC = Metric("MiB", read=memory_mib, is_exact=True, of_layers=True)
