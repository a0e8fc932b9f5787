"""Pooled convolutions."""

from __future__ import annotations

import pytest

from tests.simulator.models import target
from tests.simulator.passes.written import after, network, sound
from trex.core.data_type import DataType
from trex.core.release import Release
from trex.simulator.builder import passes_in_order
from trex.simulator.draft import NetworkDraft

_TEXT = """
s: = 0.5
w: 8x{channels}x3x3
wq = QuantizeLinear w s
wd = DequantizeLinear wq s
xq = QuantizeLinear x s
xd = DequantizeLinear xq s
c = Conv xd wd | pads=(1,1,1,1)
r = {activation} c
p = MaxPool r
q = QuantizeLinear p s
d = DequantizeLinear q s
"""


def draft_of(channels: int = 3, activation: str = "Relu") -> NetworkDraft:
    model = network(_TEXT.format(channels=channels, activation=activation), "d", (2, channels, 16, 16))
    names = [plug.name for plug in passes_in_order() if plug.value.order <= 190]
    draft = after(model, *names, of=target("A100", DataType.INT8, release=Release(8, 4)))
    sound(draft)
    return draft


def test_the_first_convolution_pools_in_int8() -> None:
    step = draft_of().steps[1]
    assert (step.label, step.outputs) == ("w + wq + c + p", ("q",))
    assert step.facts["pooling"].name == "p"


@pytest.mark.parametrize(("channels", "activation"), [(8, "Relu"), (3, "Tanh")])
def test_others_do_not(channels: int, activation: str) -> None:
    assert [step.label for step in draft_of(channels, activation).steps][-2:] == ["p", "d"]
