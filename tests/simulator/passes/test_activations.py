"""Activations into convolutions."""

from __future__ import annotations

import pytest

from tests.simulator.models import target
from tests.simulator.passes.written import FP16, after, lines, network, step_called
from trex.core.data_type import DataType
from trex.core.release import Release

_CONV = "w: 8x8x1x1\n low: = 0\n high: = 6\n c = Conv x w\n"


@pytest.mark.parametrize(
    ("operator", "label", "word"),
    [
        ("Relu c", "c + a", "RELU"),
        ("Clip c low high", "c + PWN(a)", "CLIPPED_RELU"),
        ("Clip c high high", "c + PWN(a)", "CLIP"),
        ("LeakyRelu c | alpha=0.1", "c + PWN(a)", "LEAKY_RELU"),
        ("Gelu c", "c + PWN(a)", "GELU"),
    ],
)
def test_activations_join(operator: str, label: str, word: str) -> None:
    (step,) = after(network(_CONV + f"a = {operator}", "a"), "activations").steps
    assert (step.label, step.facts["activation"], step.outputs) == (label, word, ("a",))


def test_a_gate_joins_where_there_are_kernels_for_it() -> None:
    model = network(_CONV + "g = Sigmoid c\n a = Mul c g", "a")
    assert lines(after(model, "activations", of=FP16)) == ["c + PWN(PWN(g), a): x > a"]
    assert len(after(model, "activations", of=target("A100", DataType.FP16, release=Release(8, 6))).steps) == 1
    assert len(after(model, "activations", of=target("A100")).steps) == 3
    older = target("A100", DataType.FP16, release=Release(8, 4))
    assert len(after(model, "activations", of=older).steps) == 3


def test_a_gate_behind_the_image_stays() -> None:
    model = network("w: 8x3x1x1\n c = Conv x w\n g = Sigmoid c\n a = Mul c g", "a", x=(2, 3, 16, 16))
    assert len(after(model, "activations", of=FP16).steps) == 3


def test_a_gate_of_something_else_is_none() -> None:
    model = network(_CONV + "g = Sigmoid c\n h = Tanh c\n a = Mul h g", "a")
    assert len(after(model, "activations").steps) == 4


def test_gelu_needs_half_precision() -> None:
    assert len(after(network(_CONV + "a = Gelu c", "a"), "activations", of=target("A100")).steps) == 2


def test_only_one_activation_joins_and_none_that_others_wait_for() -> None:
    built = after(network(_CONV + "a = Relu c\n b = Tanh a", "b"), "activations")
    assert lines(built) == ["c + a: x > a", "b: a > b"]
    assert len(after(network(_CONV + "a = Relu c\n b = Tanh c", "a b"), "activations").steps) == 3


def test_relu_of_quantized_weights_is_silent() -> None:
    text = "w: 8x8x1x1\n s: = 0.5\n q = QuantizeLinear w s\n d = DequantizeLinear q s\n c = Conv x d\n a = Relu c"
    built = after(network(text, "a"), "quantized-weights", "activations")
    assert step_called(built, "w + q + c").facts["activation"] == "RELU"
