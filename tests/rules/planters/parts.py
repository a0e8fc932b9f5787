"""What planters are made of: tensors like another one, layers in INT8 between two copies, defects and their twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.factories import t
from tests.rules.inspections import conv, copy
from tests.rules.planted import KERNEL, Ground, Plant, Planter
from trex.core.layer import Layer
from trex.core.tensor import Tensor

Parts = Sequence[tuple[Layer, float]]


def shaped(x: Tensor, name: str, type_: str = "FP16", format_: str = "NHWC8") -> Tensor:
    return t(name, x.shape, type_, format_)


def int8(x: Tensor, name: str) -> Tensor:
    return shaped(x, name, "INT8", "NC/32HW32")


def half(x: Tensor, name: str) -> Tensor:
    return shaped(x, name, "FP16", "NC/32HW32")


def single(x: Tensor, name: str) -> Tensor:
    return t(name, x.shape, "FP32")


def tokened(layer: Layer, *tokens: str) -> Layer:
    return replace(layer, name_parts=replace(layer.name_parts, tokens=tokens))


def inserted(make: Callable[[Tensor], Parts]) -> Plant:
    return lambda ground: ground.insert(make)


def sound(make: Callable[[Tensor], Parts]) -> Plant:
    return lambda ground: ground.insert(make, is_planted=False)


def pair(make: Callable[[Tensor, bool], Parts]) -> Planter:
    """make(tensor, has_defect) → the layers, for the defect and for its healthy twin."""
    return Planter(inserted(lambda x: make(x, True)), sound(lambda x: make(x, False)))


def whole(change: Callable[[Ground], None]) -> Plant:
    """A defect of the engine or of its measurement, not of a layer."""

    def plant(ground: Ground) -> None:
        change(ground)
        ground.is_whole = True

    return plant


def quantized(x: Tensor, body: Callable[[Tensor], Parts]) -> Parts:
    """Into INT8, what is between, and back to a convolution in half precision."""
    entry = int8(x, "q901")
    inner = list(body(entry))
    last = inner[-1][0].outputs[0]
    back = copy("DequantizeLinear_998", last, shaped(x, "dq998"), "QDQ")
    after = conv("Conv_999", [shaped(x, "dq998")], shaped(x, "e999"), tactic=KERNEL)
    return [(copy("QuantizeLinear_901", x, entry, "QDQ"), 0.02), *inner, (back, 0.02), (after, 0.05)]
