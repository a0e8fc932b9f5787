"""Why quantizers stay layers."""

from __future__ import annotations

import pytest

from tests.simulator.passes.written import after, network

_QUANTIZED = "s: = 0.5\n k: 8\n w: 8x8x1x1\n"


@pytest.mark.parametrize(
    ("text", "outputs", "reasons"),
    [
        ("q = QuantizeLinear x s", "q", ["x is an input of the network in floating point"]),
        ("a = Relu x\n q = QuantizeLinear a s", "q", ["a writes floating point"]),
        ("a = Relu x\n q = QuantizeLinear a s", "q a", ["a is also an output of the network in floating point"]),
        ("a = Relu x\n q = QuantizeLinear a s\n b = Exp a", "q b", ["b also reads a, in floating point"]),
        (
            "q = QuantizeLinear x k\n d = DequantizeLinear q s\n b = Exp d",
            "b",
            [
                "it has a scale per channel, but activations are quantized with one scale",
                "b reads it in floating point",
            ],
        ),
        (
            "q = QuantizeLinear x s\n d = DequantizeLinear q s",
            "d",
            ["x is an input of the network in floating point", "it writes an output of the network in floating point"],
        ),
    ],
)
def test_the_reason_is_told(text: str, outputs: str, reasons: list[str]) -> None:
    draft = after(network(_QUANTIZED + text, outputs), "unfused-quantizers")
    assert [item.why for item in draft.decisions] == reasons
