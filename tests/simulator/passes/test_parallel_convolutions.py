"""Parallel convolutions."""

from __future__ import annotations

import pytest

from tests.simulator.passes.written import after, lines, network, sound

_WEIGHTS = "v: 4x8x1x1\n w: 6x8x1x1\n u: 4x8x3x3\n"


def test_convolutions_of_one_input_run_as_one() -> None:
    text = "a = Conv x v\n b = Relu a\n c = Conv x w\n d = Relu c\n e = Concat b d | axis=1"
    built = after(network(_WEIGHTS + text, "e"), "activations", "parallel-convolutions")
    assert lines(built) == ["a + b || c + d: x > b d", "e: b d > e"]
    sound(built)


def test_very_many_run_as_several() -> None:
    """Reformats at n outputs are called after the whole step: n names of n names."""
    row = "\n".join(f"a{i} = Conv x v" for i in range(65))
    built = after(network(_WEIGHTS + row, " ".join(f"a{i}" for i in range(65))), "parallel-convolutions")
    assert [len(step.operators) for step in built.steps] == [32, 32, 1]
    sound(built)


@pytest.mark.parametrize(
    "second", ["Conv x u | pads=(1,1,1,1)", "Conv x w | strides=(2,2)", "Conv y w", "Conv x g | group=2"]
)
def test_other_parameters_do_not(second: str) -> None:
    text = f"g: 4x4x1x1\n y = Relu x\n a = Conv x v\n c = {second}"
    assert len(after(network(_WEIGHTS + text, "a c"), "parallel-convolutions").steps) == 3


def test_quantized_ones_do_not() -> None:
    text = "s: = 0.5\n p = QuantizeLinear v s\n q = DequantizeLinear p s\n a = Conv x q\n c = Conv x v"
    assert len(after(network(_WEIGHTS + text, "a c"), "quantized-weights", "parallel-convolutions").steps) == 2
