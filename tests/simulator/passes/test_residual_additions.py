"""Residual additions into convolutions."""

from __future__ import annotations

import pytest

from tests.simulator.passes.written import FP16, after, lines, network, sound

_CONV = "w: 8x8x1x1\n v: 8x8x3x3\n c = Conv x w\n"


def test_a_convolution_adds_and_applies_what_follows() -> None:
    built = after(network(_CONV + "a = Add c x\n r = Relu a", "r"), "residual-additions")
    assert lines(built) == ["c + a + r: x x > r"]
    assert built.steps[0].facts["activation"] == "RELU"


@pytest.mark.parametrize("operands", ["c e", "e c"])
def test_of_two_convolutions_the_later_one_adds(operands: str) -> None:
    text = _CONV + f"b = Relu x\n e = Conv b v | pads=(1,1,1,1)\n a = Add {operands}"
    built = after(network(text, "a"), "residual-additions")
    assert [step.label for step in built.steps] == ["c", "b", "e + a"]
    assert built.steps[2].inputs == ("b", "c")
    sound(built)


def test_a_branch_behind_a_dequantizer_leaves_it_to_the_other() -> None:
    text = "s: = 0.5\n" + _CONV + "e = Conv x v | pads=(1,1,1,1)\n q = QuantizeLinear e s\n d = DequantizeLinear q s\n"
    built = after(network(text + "a = Add c d", "a"), "residual-additions")
    assert [step.label for step in built.steps] == ["e", "q", "d", "c + a"]


@pytest.mark.parametrize(
    "text",
    [
        "a = Add c k",  # stored
        "r = Relu c\n a = Add r x",  # an activation between
        "b = Tanh c\n e = Add c x\n a = Add e b",  # read twice
        "p = GlobalAveragePool x\n a = Add c p",  # broadcast
        "a = Mul c x",
    ],
)
def test_others_stay(text: str) -> None:
    model = network("k: 8x1x1\n" + _CONV + text, "a")
    done = after(model, "activations", "residual-additions")
    assert "a" in [step.label for step in done.steps]


def test_no_cycle_when_the_other_branch_begins_in_the_convolution() -> None:
    text = _CONV + "b = Relu c\n e = Conv b v | pads=(1,1,1,1)\n a = Add e c"
    built = after(network(text, "a"), "residual-additions")
    assert [step.label for step in built.steps] == ["c", "b", "e + a"]
    sound(built)


def test_a_sum_with_itself_is_no_residual() -> None:
    text = "w: 8x8x1x1\n c = Conv x w\n e = Conv x w\n a = Add c e"
    assert lines(after(network(text, "a"), "duplicate-layers", "residual-additions")) == ["c: x > c", "a: c c > a"]


def test_a_convolution_with_a_gate_adds_too() -> None:
    text = "w: 8x8x1x1\n c = Conv x w\n g = Sigmoid c\n m = Mul c g\n a = Add x m"
    model = network(text, "a")
    assert lines(after(model, "activations", "residual-additions", of=FP16)) == ["c + PWN(PWN(PWN(g), m), a): x x > a"]
    relu = network("w: 8x8x1x1\n c = Conv x w\n r = Relu c\n a = Add x r", "a")
    assert len(after(relu, "activations", "residual-additions", of=FP16).steps) == 2
