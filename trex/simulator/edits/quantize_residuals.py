"""Quantizers at the shortcut of every residual addition that leads to a quantizer.

Without them the addition is in floating point, and the convolution with the fused addition writes floats: by TensorRT's
guide on explicit quantization, a residual addition in INT8 needs both operands quantized.
"""

from __future__ import annotations

from trex.core.model import Model
from trex.core.operator import Operator
from trex.simulator.model_edit import ModelEdit, Sketch, is_dequantized, leading_to_quantizers

_PASSED = frozenset({"Relu", "Clip", "LeakyRelu", "Add", "MaxPool", "GlobalAveragePool", "AveragePool", "Flatten"})
_OF_A_CONVOLUTION = frozenset({"BatchNormalization", "Mul", "Add"})
_WEIGHTED = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})


def edit(sketch: Sketch) -> None:
    model = sketch.before
    quantized = leading_to_quantizers(model, _PASSED)
    for operator in model.operators:
        if operator.type != "Add" or operator.domain or len(operator.inputs) != 2:
            continue
        if any(name in model.constants for name in operator.inputs):
            continue
        if any(is_dequantized(model, name) for name in operator.inputs):
            continue
        index = shortcut(model, operator)
        if index is not None and operator.outputs[0] in quantized:
            sketch.quantize_input(operator, index)


def shortcut(model: Model, addition: Operator) -> int | None:
    """The operand of an addition that is not a convolution's own result, so that the convolution can add it; of two
    results of convolutions the second. None if neither is one.
    """
    own = [_is_result_of_convolution(model, name) for name in addition.inputs]
    if not any(own):
        return None
    return 0 if own == [False, True] else 1


def _is_result_of_convolution(model: Model, name: str) -> bool:
    """Written by a convolution, with constants added and multiplied, and read by nothing else."""
    while len(model.consumers.get(name, ())) == 1:
        writer = model.producers.get(name)
        if writer is None:
            return False
        if writer.type in _WEIGHTED:
            return True
        flowing = [input_name for input_name in writer.inputs if input_name and input_name not in model.constants]
        if writer.type not in _OF_A_CONVOLUTION or len(flowing) != 1:
            return False
        name = flowing[0]
    return False


EDIT = ModelEdit("residuals quantized", edit)
