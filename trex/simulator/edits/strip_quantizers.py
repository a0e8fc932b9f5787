"""Removes all quantizers and dequantizers: the cost of the model without them."""

from __future__ import annotations

from trex.simulator.model_edit import DEQUANTIZE, QUANTIZE, ModelEdit, Sketch


def edit(sketch: Sketch) -> None:
    for operator in sketch.before.operators:
        if operator.type in (QUANTIZE, DEQUANTIZE) and not operator.domain and operator.outputs:
            sketch.drop(operator)


EDIT = ModelEdit("without Q/DQ", edit)
