"""Elementwise operation, unary function, activation or selection: one operation per output value.

Formula: no MACs. Other operations = output values · (1 + those of the fused activation); for an activation alone, those
of its own definition. Bytes: inputs and outputs once; a broadcast operand counts with its own, small size.

Source: TensorRT's ElementWiseOperation, UnaryOperation and ActivationType references.

Does not hold for: functions that a device computes in several instructions (power, division), counted as one here.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work, output_volume, times
from trex.perf.work.parameters import activation_operations
from trex.perf.work.work import Work

FORMULA = "other operations = output values·(1 + operations of the activation)"


def work(layer: Layer) -> Work:
    values = output_volume(layer)
    activation = activation_operations(layer.raw)
    own = 0 if layer.type.lower() == "activation" and activation else 1
    per_value = own + (1 if activation is None else activation)
    return layer_work(
        "elementwise",
        layer,
        0,
        times(values, per_value),
        FORMULA,
        (("output values", values), ("operations per value", per_value)),
        confidence=0.8 if activation is None else 1.0,
        reason="an unknown activation counts as one operation" if activation is None else "",
    )


_TYPES = {"elementwise", "unary", "activation", "select", "where", "parametricrelu", "clip", "relu", "compare"}
KIND = WorkKind(frozenset(_TYPES), work)
