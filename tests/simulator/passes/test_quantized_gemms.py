"""Quantized convolutions and products."""

from __future__ import annotations

from tests.simulator.passes.written import INT8, after, network, sound
from trex.core.data_type import DataType
from trex.simulator.draft import NetworkDraft

_STORED = "s: = 0.5\n w: 8x8x1x1\n wq = QuantizeLinear w s\n wd = DequantizeLinear wq s\n"
_INPUT = "xq = QuantizeLinear x s\n xd = DequantizeLinear xq s\n"
_OUTPUT = "q = QuantizeLinear {} s\n d = DequantizeLinear q s\n"
_PASSES = ("quantized-weights", "activations", "residual-additions", "quantized-gemms")


def draft_of(text: str, outputs: str = "d") -> NetworkDraft:
    draft = after(network(_STORED + text, outputs), *_PASSES, of=INT8)
    sound(draft)
    return draft


def test_between_dequantizer_and_quantizer_all_is_int8() -> None:
    draft = draft_of(_INPUT + "c = Conv xd wd\n r = Relu c\n" + _OUTPUT.format("r"))
    assert [step.label for step in draft.steps] == ["xq", "w + wq + c", "d"]
    step = draft.steps[1]
    assert (step.inputs, step.outputs, step.precision) == (("xq",), ("q",), DataType.INT8)
    assert set(step.origins) == {"wq", "wd", "c", "r", "xd", "q"}
    expected = [item.what for item in draft.decisions if item.by == "quantized-gemms"]
    assert expected == ["w + wq + c reads and multiplies INT8", "w + wq + c writes INT8"]


def test_without_a_quantizer_behind_it_writes_floats() -> None:
    draft = draft_of(_INPUT + "c = Conv xd wd\n a = Sigmoid c\n d = Exp a")
    assert draft.steps[1].outputs == ("a",)
    assert draft.type_of("a") is DataType.FP32
    assert "writes floating point" in draft.decisions[-1].what
    assert "no quantizer alone reads its output" in draft.decisions[-1].why


def test_a_float_reader_beside_the_quantizer_keeps_it_a_step() -> None:
    draft = draft_of(_INPUT + "c = Conv xd wd\n q = QuantizeLinear c s\n d = Relu q\n e = Relu c", "d e")
    assert [step.label for step in draft.steps] == ["xq", "w + wq + c", "q", "d", "e"]


def test_a_float_residual_keeps_the_quantizer_a_step() -> None:
    draft = draft_of("y = Relu x\n" + _INPUT + "c = Conv xd wd\n a = Add c y\n" + _OUTPUT.format("a"))
    assert [step.label for step in draft.steps] == ["y", "xq", "w + wq + c + a", "q", "d"]
    assert draft.steps[2].inputs == ("xq", "y")
    assert draft.decisions[-1].why == "it adds y in floating point"


def test_a_quantized_residual_lets_it_write_int8() -> None:
    draft = draft_of(_INPUT + "c = Conv xd wd\n a = Add c xd\n" + _OUTPUT.format("a"))
    assert [step.label for step in draft.steps] == ["xq", "w + wq + c + a", "d"]
    assert draft.steps[1].inputs == ("xq", "xq")


def test_a_quantized_residual_is_dequantized_where_no_quantizer_follows() -> None:
    draft = draft_of(_INPUT + "c = Conv xd wd\n a = Add c xd\n d = Exp a")
    assert [step.label for step in draft.steps] == ["xq", "xd", "w + wq + c + a", "d"]
    assert draft.steps[2].inputs == ("xq", "xd")


def test_quantized_weights_alone_are_multiplied_in_floats() -> None:
    draft = draft_of("c = Conv x wd\n d = Exp c")
    assert draft.steps[0].precision is DataType.UNKNOWN
    assert "floating point with dequantized weights" in draft.decisions[-1].what


def test_a_quantized_input_alone_is_dequantized() -> None:
    draft = after(network("v: 8x8x1x1\n s: = 0.5\n" + _INPUT + "c = Conv xd v", "c"), *_PASSES, of=INT8)
    assert [step.label for step in draft.steps] == ["xq", "xd", "c"]


def test_scales_by_channel_at_the_input_are_not_fused() -> None:
    draft = draft_of("k: 8\n xq = QuantizeLinear x k\n xd = DequantizeLinear xq k\n c = Conv xd wd\n d = Exp c")
    assert [step.label for step in draft.steps] == ["xq", "xd", "w + wq + c", "d"]
