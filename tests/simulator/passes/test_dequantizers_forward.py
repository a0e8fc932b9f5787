"""Dequantizers towards the end."""

from __future__ import annotations

from tests.simulator.passes.written import after, lines, network, sound
from trex.core.data_type import DataType

_QUANTIZED = "s: = 0.5\n q = QuantizeLinear x s\n d = DequantizeLinear q s\n"


def test_a_dequantizer_waits_behind_a_transpose() -> None:
    built = after(network(_QUANTIZED + "t = Transpose d | perm=(0,2,3,1)\n a = Relu t", "a"), "dequantizers-forward")
    assert lines(built) == ["q: x > q", "t: q > d", "d: d > t", "a: t > a"]
    assert (built.shape_of("d"), built.type_of("d")) == ((2, 16, 16, 8), DataType.INT8)


def test_others_keep_theirs() -> None:
    built = after(network(_QUANTIZED + "p = MaxPool d\n a = Relu d\n b = Tanh p", "a b"), "dequantizers-forward")
    assert [step.label for step in built.steps].count("d") == 2
    sound(built)


def test_all_readers_that_commute_take_a_copy() -> None:
    text = _QUANTIZED + "p = MaxPool d\n t = Flatten d\n a = Relu p\n b = Tanh t"
    built = after(network(text, "a b"), "dequantizers-forward")
    assert [step.inputs for step in built.steps if step.label in ("p", "t")] == [("q",), ("q",)]
    sound(built)


def test_it_stays_before_what_the_caller_gets_and_what_does_not_commute() -> None:
    for text in ("a = MaxPool d", "a = AveragePool d"):
        built = after(network(_QUANTIZED + text, "a"), "dequantizers-forward")
        assert [step.label for step in built.steps] == ["q", "d", "a"]
