"""Epilogue: what a kernel does with each value of a product before it writes it."""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.parameters import activation_operations


def epilogue(layer: Layer) -> tuple[int, bool]:
    """(operations per output value that follow the products, whether the activation among them is known)."""
    record = layer.raw
    count = 1 if any(weights.kind == "bias" for weights in layer.weights) else 0
    operands = len(layer.inputs) - 1
    if operands > 0:
        count += max(0, operands - (record.get("HasDynamicFilter") in (1, True)))
    elif layer.type == "conv":
        count += any((weights.count or 0) > 1 for weights in layer.weights[1:])
    activation = activation_operations(record)
    return count + (1 if activation is None else activation), activation is not None
