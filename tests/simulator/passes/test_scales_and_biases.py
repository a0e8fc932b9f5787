"""Scales and biases into weights."""

from __future__ import annotations

import pytest

from tests.simulator.passes.written import after, lines, network

_NORM = "g: 8\n b: 8\n m: 8\n v: 8\n"


def test_batch_normalization_joins_the_convolution() -> None:
    text = _NORM + "w: 8x8x1x1\n c = Conv x w\n n = BatchNormalization c g b m v"
    built = after(network(text, "n"), "scales-and-biases")
    assert lines(built) == ["c + n: x > n"]
    assert built.steps[0].facts["bias"]


def test_a_name_omits_a_scale_folded_into_quantized_weights() -> None:
    text = _NORM + "w: 8x8x1x1\n s: = 0.5\n q = QuantizeLinear w s\n d = DequantizeLinear q s\n"
    text += "c = Conv x d\n n = BatchNormalization c g b m v"
    (step,) = after(network(text, "n"), "quantized-weights", "scales-and-biases").steps
    assert step.label == "w + q + c"


@pytest.mark.parametrize("operator", ["Add c k", "Mul c k", "Sub c k", "Add k c", "Mul c one", "Div c one"])
def test_constants_by_channel_join(operator: str) -> None:
    text = f"w: 8x8x1x1\n k: 8x1x1\n one: = 2\n c = Conv x w\n a = {operator}\n b = Relu a"
    assert lines(after(network(text, "b"), "scales-and-biases"))[0] == "c + a: x > a"


@pytest.mark.parametrize("operator", ["Add c k", "Sub one c", "Div one c", "Add c x", "Pow c one"])
def test_other_operands_do_not(operator: str) -> None:
    text = f"w: 8x8x1x1\n k: 16x16\n one: = 2\n c = Conv x w\n a = {operator}"
    assert len(after(network(text, "a"), "scales-and-biases").steps) == 2


def test_what_others_read_is_not_scaled() -> None:
    text = "w: 8x8x1x1\n k: 8x1x1\n c = Conv x w\n a = Add c k"
    assert len(after(network(text, "a c"), "scales-and-biases").steps) == 2


def test_a_name_omits_the_bias_of_a_gemm() -> None:
    (step,) = after(network("w: 8x4\n k: 4\n p = MatMul x w\n a = Add p k", "a", (2, 8)), "scales-and-biases").steps
    assert (step.label, step.outputs) == ("p", ("a",))


def test_products_of_three_dimensions_are_left_to_myelin() -> None:
    built = after(network("w: 8x4\n k: 4\n p = MatMul x w\n a = Add p k", "a", (2, 3, 8)), "scales-and-biases")
    assert len(built.steps) == 2
