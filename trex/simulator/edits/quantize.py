"""Quantizers at the inputs and weights of every convolution and GEMM that has none.

One scale for an input, one scale for each output channel of the weights, as toolkits insert them; the placement of Q/DQ
nodes follows TensorRT's guide on explicit quantization. Accuracy is not considered.
"""

from __future__ import annotations

from trex.core.operator import Operator
from trex.simulator.model_edit import ModelEdit, Sketch, is_dequantized

_CHANNELS = {"Conv": 0, "ConvTranspose": 1, "MatMul": -1}


def edit(sketch: Sketch) -> None:
    model = sketch.before
    for operator in model.operators:
        axis = _axis(operator)
        if axis is None or operator.domain or len(operator.inputs) < 2:
            continue
        name, weights = operator.inputs[:2]
        stored = model.value(weights)
        if weights not in model.constants or stored is None or name in model.constants:
            continue
        if not is_dequantized(model, name):
            sketch.quantize_input(operator, 0)
        if not is_dequantized(model, weights):
            sketch.quantize_weights(operator, 1, axis)


def _axis(operator: Operator) -> int | None:
    """The axis of the output channels in the weights; None for operators without weights."""
    if operator.type == "Gemm":
        return 0 if operator.attributes.get("transB") else -1
    return _CHANNELS.get(operator.type)


EDIT = ModelEdit("quantized", edit)
