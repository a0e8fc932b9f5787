"""Epilogue: what a kernel does with each value of a convolution before it writes it."""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.named_operations import activation_in_names
from trex.perf.work.parameters import activation_operations


def epilogue(layer: Layer) -> tuple[int | None, str]:
    """(operations per output value that follow the products, why unknown or approximate).

    One for a bias, one for each further tensor added (a residual), and those of the activation. Myelin's ``conv`` names
    none of them: stored operands beyond the filter are added, activations read from the names of the ONNX nodes.
    """
    record = layer.raw
    if layer.type == "conv":
        operands = len(layer.inputs) + sum(weights.count != 1 for weights in layer.weights)
        named = activation_in_names(layer.origins)
        return max(0, operands - 2) + named, "the activation was read from the names of the ONNX nodes" if named else ""
    if "Activation" not in record and "HasReLU" not in record:
        return None, "the file does not tell what follows the products"
    count = 0
    for weights in layer.weights:
        if weights.kind == "bias":
            count = 1
    count += max(0, len(layer.inputs) - 1 - (record.get("HasDynamicFilter") in (1, True)))
    activation = activation_operations(record)
    if activation is None:
        return count + 1, "an activation that is not known counts as one operation"
    return count + activation, ""
