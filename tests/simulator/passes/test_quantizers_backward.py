"""Quantizers towards the beginning."""

from __future__ import annotations

from tests.simulator.passes.written import after, lines, network, sound
from trex.core.data_type import DataType

_SCALE = "s: = 0.5\n t: = 0.25\n"


def test_a_quantizer_changes_places_with_a_max_pooling() -> None:
    built = after(network(_SCALE + "a = Relu x\n p = MaxPool a\n q = QuantizeLinear p s", "q"), "quantizers-backward")
    assert lines(built) == ["a: x > a", "q: a > p", "p: p > q"]
    assert (built.shape_of("p"), built.type_of("p")) == ((2, 8, 16, 16), DataType.INT8)
    assert built.steps[2].precision is DataType.INT8


def test_it_goes_on_over_several_steps() -> None:
    text = "a = Relu x\n b = Transpose a | perm=(0,2,3,1)\n c = Flatten b\n q = QuantizeLinear c s"
    built = after(network(_SCALE + text, "q"), "quantizers-backward")
    assert [step.label for step in built.steps] == ["a", "q", "b", "c"]
    sound(built)


def test_it_does_not_pass_what_others_read_in_floating_point() -> None:
    model = network(_SCALE + "p = MaxPool x\n q = QuantizeLinear p s\n a = Relu p", "q a")
    assert [step.label for step in after(model, "quantizers-backward").steps] == ["p", "q", "a"]


def test_it_does_not_pass_a_convolution() -> None:
    model = network(_SCALE + "w: 8x8x1x1\n c = Conv x w\n q = QuantizeLinear c s", "q")
    assert [step.label for step in after(model, "quantizers-backward").steps] == ["c", "q"]


def test_scales_by_channel_stay() -> None:
    model = network("s: 8\n p = MaxPool x\n q = QuantizeLinear p s", "q")
    assert [step.label for step in after(model, "quantizers-backward").steps] == ["p", "q"]


def test_each_input_of_a_concatenation_gets_its_own() -> None:
    text = "a = Relu x\n b = Tanh x\n c = Concat a b | axis=1\n q = QuantizeLinear c s"
    built = after(network(_SCALE + text, "q"), "quantizers-backward")
    assert {step.label for step in built.steps} == {"a", "b", "q_clone_0", "q_clone_1", "c"}
    sound(built)


def test_quantizers_that_meet_become_one() -> None:
    text = "a = Relu x\n p = MaxPool a\n q = QuantizeLinear p s\n r = QuantizeLinear a s"
    built = after(network(_SCALE + text + "\n d = DequantizeLinear r s", "q d"), "quantizers-backward")
    assert [step.label for step in built.steps] == ["a", "q", "p", "d"]
    sound(built)
