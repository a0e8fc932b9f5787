"""Epilogue: the operations that a kernel applies to each value of a convolution before it writes it."""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.named_operations import activation_in_names
from trex.perf.work.parameters import activation_operations


def epilogue(layer: Layer) -> tuple[int | None, str]:
    """(operations per output value after the MACs, why they are unknown or approximate).

    One for a bias, one for each further tensor added (a residual), and those of the activation. Myelin's ``conv``
    records none of them: stored operands beyond the filter are added, activations come from the names of the ONNX
    nodes.
    """
    record = layer.raw
    if layer.type == "conv":
        operands = len(layer.inputs) + sum(weights.count != 1 for weights in layer.weights)
        named = activation_in_names(layer.origins)
        return max(0, operands - 2) + named, "activation inferred from the names of the ONNX nodes" if named else ""
    if "Activation" not in record and "HasReLU" not in record:
        return None, "unknown epilogue"
    count = 0
    for weights in layer.weights:
        if weights.kind == "bias":
            count = 1
    count += max(0, len(layer.inputs) - 1 - (record.get("HasDynamicFilter") in (1, True)))
    activation = activation_operations(record)
    if activation is None:
        return count + 1, "an unknown activation counts as one operation"
    return count + activation, ""
