"""The metrics that the gate checks and that baselines keep."""

from __future__ import annotations

METRICS = {"compute": "computeMs", "enqueue": "enqueueMs", "latency": "latencyMs"}
"""{metric: its column of the per-query times}."""
PER_LAYER = "layer"
"""The metric that is checked for every matched layer that fits a glob."""


def metric_labels() -> tuple[str, ...]:
    """The metrics as conditions name them: ``latency``, ``layer:GLOB``."""
    return (*METRICS, f"{PER_LAYER}:GLOB")
