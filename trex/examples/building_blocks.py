"""Building blocks: small networks of one pattern each, to compare what builders make of it.

Every block exists in FP32 and FP16, some also with Q/DQ (``qat``). Their sizes are those of layers in published
networks, small enough that a build takes a second. A file of ``patterns/`` holds one family.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.examples.net import FLOAT, HALF, Net
from trex.examples.patterns import (
    attention,
    control_flow,
    convolutions,
    joins_and_moves,
    normalizations,
    transformer_layers,
)
from trex.examples.patterns.parts import Block
from trex.examples.quantize import quantize

if TYPE_CHECKING:
    import onnx

_OPSET, _IR = 17, 8
_FAMILIES: Mapping[str, Mapping[str, Block]] = {
    "attention": attention.BLOCKS,
    "transformer layers": transformer_layers.BLOCKS,
    "normalizations": normalizations.BLOCKS,
    "convolutions": convolutions.BLOCKS,
    "joins and moves": joins_and_moves.BLOCKS,
    "elementwise and control flow": control_flow.BLOCKS,
}
_QUANTIZED = frozenset(
    {
        "attention-mask", "encoder-layer", "mlp-gelu", "mlp-relu", "classifier", "conv-relu", "conv-silu",
        "residual-relu", "depthwise", "dense-connection", "inception", "split-branches", "transposed-convolution",
        "squeeze-excite",
    }
)  # fmt: skip


def block_names() -> dict[str, str]:
    """{name of every block and variant (``attention-mask-fp16``): its family}, sorted."""
    names = {}
    for family, blocks in _FAMILIES.items():
        for name in blocks:
            variants = ("", "-fp16", "-qat") if name in _QUANTIZED else ("", "-fp16")
            names.update({name + variant: family for variant in variants})
    return dict(sorted(names.items()))


def make_block(name: str) -> onnx.ModelProto:
    """The ONNX model of a block, with random weights. Raises TrexError for an unknown name."""
    if name not in block_names():
        raise TrexError(
            f"no building block is called {name!r}", did_you_mean(name, tuple(block_names()), "see the list")
        )
    plain, variant = name, ""
    for ending in ("fp16", "qat"):
        if name.endswith(f"-{ending}"):
            plain, variant = name.removesuffix(f"-{ending}"), ending
    block = next(blocks[plain] for blocks in _FAMILIES.values() if plain in blocks)
    net = Net(name, weights="random", type=HALF if variant == "fp16" else FLOAT)
    value, shape = block(net)
    net.output("y", value, shape)
    model = net.model(opset=_OPSET, ir_version=_IR)
    return quantize(model) if variant == "qat" else model
