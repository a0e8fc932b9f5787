"""Weights with their quantizers."""

from __future__ import annotations

from tests.simulator.passes.written import after, network
from trex.core.data_type import DataType

_QUANTIZED = "w: 8x8x1x1\n s: = 0.5\n wq = QuantizeLinear w s\n wd = DequantizeLinear wq s\n"


def test_a_name_begins_with_weights_and_quantizer() -> None:
    (step,) = after(network(_QUANTIZED + "c = Conv x wd", "c"), "quantized-weights").steps
    assert step.label == "w + wq + c"
    assert step.origins == ("wq", "wd", "c")
    assert step.facts["weights_type"] is DataType.INT8


def test_a_name_omits_a_transpose_of_the_weights() -> None:
    text = "w: 8x8\n s: = 0.5\n wq = QuantizeLinear w s\n wd = DequantizeLinear wq s\n"
    text += "wt = Transpose wd | perm=(1,0)\n c = MatMul x wt"
    (step,) = after(network(text, "c", (2, 8)), "quantized-weights").steps
    assert step.label == "w + wq + c"


def test_floating_point_weights_are_left_alone() -> None:
    (step,) = after(network("w: 8x8x1x1\n c = Conv x w", "c"), "quantized-weights").steps
    assert "weights_type" not in step.facts


def test_a_quantized_operand_that_is_no_weight_is_none() -> None:
    text = "w: 8x8\n s: = 0.5\n wq = QuantizeLinear w s\n wd = DequantizeLinear wq s\n a = Add x wd"
    (step,) = after(network(text, "a", (8, 8)), "quantized-weights").steps
    assert step.label == "a"
