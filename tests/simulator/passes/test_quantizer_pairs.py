"""Pairs of quantizers."""

from __future__ import annotations

from tests.simulator.passes.written import after, lines, network
from trex.simulator.draft import StepKind

_QUANTIZED = "s: = 0.5\n t: = 0.25\n u: = 0.5\n q = QuantizeLinear x s\n d = DequantizeLinear q s\n"


def test_one_scale_cancels() -> None:
    built = after(network(_QUANTIZED + "r = QuantizeLinear d u\n a = DequantizeLinear r u", "a"), "quantizer-pairs")
    assert lines(built) == ["q: x > q", "a: q > a"]


def test_two_scales_become_one_step() -> None:
    built = after(network(_QUANTIZED + "r = QuantizeLinear d t\n a = DequantizeLinear r t", "a"), "quantizer-pairs")
    assert lines(built) == ["q: x > q", "d + r: q > r", "a: r > a"]
    assert built.steps[1].kind is StepKind.SCALE


def test_a_dequantizer_that_others_read_stays() -> None:
    built = after(network(_QUANTIZED + "r = QuantizeLinear d s\n a = Relu r\n b = Relu d", "a b"), "quantizer-pairs")
    assert [step.label for step in built.steps] == ["q", "d", "a", "b"]


def test_rounding_stays() -> None:
    assert len(after(network(_QUANTIZED + "a = Relu d", "a"), "quantizer-pairs").steps) == 3
