"""HistoryMetric: one quantity of the table ``runs`` that histories, bisections and sweeps follow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HistoryMetric:
    """name: as options name it, and as ``trex compare --fail-on`` does. column: of the table ``runs``.

    kind: of a table's column (``ms``, ``bytes``, …). samples: the column of ``samples`` that shows its noise, "" for
    one value per run. is_exact: runs of one engine have equal values; findings follow the noise of layer times.
    """

    name: str
    column: str
    label: str
    unit: str
    kind: str
    samples: str = ""
    is_exact: bool = False
    higher_is_better: bool = False
    is_predicted: bool = True

    def is_worse(self, change: float) -> bool:
        """Whether a change of this sign is for the worse."""
        return change < 0.0 if self.higher_is_better else change > 0.0


_ALL = (
    HistoryMetric("compute", "gpu_compute_ms", "GPU compute", "ms", "ms", "gpu_compute_ms"),
    HistoryMetric("latency", "latency_ms", "latency", "ms", "ms", "latency_ms"),
    HistoryMetric("p99", "p99_ms", "p99 latency", "ms", "ms"),
    HistoryMetric("throughput", "throughput_qps", "throughput", "1/s", "rate", higher_is_better=True),
    HistoryMetric("layer-sum", "layer_sum_ms", "sum of layer times", "ms", "ms"),
    HistoryMetric("memory", "device_memory_bytes", "device memory", "", "bytes", is_exact=True, is_predicted=False),
    HistoryMetric("activations", "activation_peak_bytes", "activation peak", "", "bytes", is_exact=True),
    HistoryMetric("engine-size", "engine_bytes", "engine size", "", "bytes", is_exact=True, is_predicted=False),
    HistoryMetric("build-time", "build_seconds", "build time", "s", "rate", is_predicted=False),
    HistoryMetric("findings", "findings", "findings", "", "count"),
    HistoryMetric("layers", "layers", "layers", "", "count", is_exact=True),
)
METRICS = {metric.name: metric for metric in _ALL}
"""By name, the most important first. is_predicted: part of a prediction, so exact for simulated runs."""
