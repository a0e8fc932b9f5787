"""Why quantizers stay layers."""

from __future__ import annotations

import pytest

from tests.simulator.passes.written import after, network

_QUANTIZED = "s: = 0.5\n k: 8\n w: 8x8x1x1\n"


@pytest.mark.parametrize(
    ("text", "outputs", "told"),
    [
        ("q = QuantizeLinear x s", "q", ["the caller gives x in floating point"]),
        ("a = Relu x\n q = QuantizeLinear a s", "q", ["a before it writes floating point"]),
        ("a = Relu x\n q = QuantizeLinear a s", "q a", ["the caller gets a in floating point as well"]),
        ("a = Relu x\n q = QuantizeLinear a s\n b = Exp a", "q b", ["b also reads a, in floating point"]),
        (
            "q = QuantizeLinear x k\n d = DequantizeLinear q s\n b = Exp d",
            "b",
            ["it has a scale for each channel, and activations are quantized with one", "b reads it in floating point"],
        ),
        (
            "q = QuantizeLinear x s\n d = DequantizeLinear q s",
            "d",
            ["the caller gives x in floating point", "the caller gets its output in floating point"],
        ),
    ],
)
def test_the_reason_is_told(text: str, outputs: str, told: list[str]) -> None:
    draft = after(network(_QUANTIZED + text, outputs), "unfused-quantizers")
    assert [each.why for each in draft.decisions] == told
