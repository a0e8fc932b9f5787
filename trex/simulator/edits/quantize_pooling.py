"""Quantizers before average poolings that lead to a quantizer, so that they run in INT8.

An average pooling does not commute with quantization: without a quantizer before it, it reads and writes floats.
"""

from __future__ import annotations

from trex.simulator.model_edit import ModelEdit, Sketch, is_dequantized, leading_to_quantizers

_POOLING = frozenset({"GlobalAveragePool", "AveragePool"})
_PASSED = frozenset({"Flatten", "Reshape", "Squeeze", "Relu"})


def edit(sketch: Sketch) -> None:
    model = sketch.before
    quantized = leading_to_quantizers(model, _PASSED)
    for operator in model.operators:
        if operator.type not in _POOLING or operator.domain or is_dequantized(model, operator.inputs[0]):
            continue
        if operator.outputs[0] in quantized:
            sketch.quantize_input(operator, 0)


EDIT = ModelEdit("pooling quantized", edit)
