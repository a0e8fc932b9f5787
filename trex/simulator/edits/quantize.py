"""Quantizers at the inputs and the weights of every convolution and matrix product that has none yet.

One scale for an input, a scale for each output channel of the weights, as toolkits insert them; the order in which Q/DQ
nodes are to be placed is that of TensorRT's guide on explicit quantization. Accuracy is another question.
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
    """Along which the output channels lie in the weights; None for operators that have no weights."""
    if operator.type == "Gemm":
        return 0 if operator.attributes.get("transB") else -1
    return _CHANNELS.get(operator.type)


EDIT = ModelEdit("quantized", edit)
