"""Quantized poolings and additions."""

from __future__ import annotations

import pytest

from tests.simulator.passes.written import INT8, after, network, sound
from trex.core.data_type import DataType

_INPUT = "s: = 0.5\n t: = 0.25\n xq = QuantizeLinear x s\n xd = DequantizeLinear xq s\n"
_SECOND = "yq = QuantizeLinear x t\n yd = DequantizeLinear yq t\n"
_OUTPUT = "\n q = QuantizeLinear a t\n d = DequantizeLinear q t"


@pytest.mark.parametrize(("operator", "inputs"), [("AveragePool xd", 1), ("GlobalAveragePool xd", 1)])
def test_between_quantizers_they_run_in_int8(operator: str, inputs: int) -> None:
    draft = after(network(f"{_INPUT}a = {operator}{_OUTPUT}", "d"), "quantized-elementwise", of=INT8)
    assert [step.label for step in draft.steps] == ["xq", "a", "d"]
    step = draft.steps[1]
    assert (step.inputs, step.outputs, step.precision) == (("xq",) * inputs, ("q",), DataType.INT8)
    sound(draft)


def test_an_addition_of_two_quantized_tensors_runs_in_int8() -> None:
    draft = after(network(f"{_INPUT}{_SECOND}a = Add xd yd{_OUTPUT}", "d"), "quantized-elementwise", of=INT8)
    assert [step.label for step in draft.steps] == ["xq", "yq", "a", "d"]
    assert draft.steps[2].inputs == ("xq", "yq")


@pytest.mark.parametrize("text", ["a = AveragePool xd\n d = Exp a", "a = Add xd x" + _OUTPUT, "a = Tanh xd" + _OUTPUT])
def test_elsewhere_they_do_not(text: str) -> None:
    draft = after(network(_INPUT + text, "d"), "quantized-elementwise", of=INT8)
    assert draft.steps[2].precision is DataType.UNKNOWN
