"""MobileNet-v2: seventeen inverted residual blocks around depthwise convolutions, as torchvision exports it.

Source: Sandler et al. 2018, table 2. 0.301 GMACs for a 224×224 image, 3.5 M parameters. The quantized variants
are two exports of one training by different releases of a toolkit: the older has one scale for all weights of a layer,
the newer has one per channel and counts the toolkit's own tensors as trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.examples.net import FLOAT, HALF, Net, path_of
from trex.examples.network import Network, NetworkOptions
from trex.examples.numbered import number_names
from trex.examples.quantize import quantize

if TYPE_CHECKING:
    import onnx

# Table 2: expansion, output channels, blocks, stride of the first.
_STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
_LAST = 1280


@dataclass(frozen=True)
class _Export:
    """How a quantized variant was exported, with numbered names. first: number of its first value. folds: whether a
    list of one number was folded, which leaves numbers without values.
    """

    input: str
    first: int
    per_channel: bool
    weight_constants: str
    folds: bool


# 314 tensors of the state dictionary; in the newest also the 116 ranges of its quantizers.
_EXPORTS = {
    "qat": _Export("input1", 315, False, "nodes", False),
    "qat-residual": _Export("inputs.1", 431, True, "shared", True),
}


def _make(options: NetworkOptions) -> onnx.ModelProto:
    export = _EXPORTS.get(options.variant)
    type = HALF if options.variant == "fp16" else FLOAT
    net = Net("mobilenet-v2", weights=options.weights, type=type)
    x = net.input(export.input if export else "input", (options.batch, 3, 224, 224))
    x = _features(net, x, has_norms=export is not None)
    x = net.node("GlobalAveragePool", x)
    x = _flat(net, x, options.batch, export.folds) if export else net.node("Flatten", x, axis=1)
    net.output("output", net.linear(x, "classifier.1", (_LAST, 1000)), (options.batch, 1000))
    if export is None:
        return net.model(opset=17, ir_version=8)
    model = quantize(
        net.model(opset=13, ir_version=7),
        residuals=options.variant == "qat-residual",
        per_channel=export.per_channel,
        constants="nodes",
        weight_constants=export.weight_constants,
    )
    skipped = {"/Concat": 3} if export.folds else {}
    return number_names(model, export.first, has_prefixes=False, skipped=skipped)


def _features(net: Net, x: str, *, has_norms: bool) -> str:
    """All layers before the pooling."""

    def conv(
        x: str, module: str, norm: str, channels: tuple[int, int], kernel: int = 1, stride: int = 1, group: int = 1
    ) -> str:
        y = net.conv(x, module, channels, kernel, stride=stride, group=group, has_bias=not has_norms)
        return net.norm(y, norm, channels[1]) if has_norms else y

    def clipped(x: str, module: str) -> str:
        limits = [net.constant([limit], (), path_of(module), net.type) for limit in (0.0, 6.0)]
        return net.node("Clip", x, *limits, at=path_of(module))

    x = clipped(conv(x, "features.0.0", "features.0.1", (3, 32), 3, 2), "features.0.2")
    channels, index = 32, 1
    for expansion, out, count, first_stride in _STAGES:
        for block in range(count):
            at, stride = f"features.{index}", 1 if block else first_stride
            y, wide, step = x, channels * expansion, 0
            if expansion > 1:
                y = conv(y, f"{at}.conv.0.0", f"{at}.conv.0.1", (channels, wide))
                y, step = clipped(y, f"{at}.conv.0.2"), 1
            depthwise = f"{at}.conv.{step}"
            y = conv(y, f"{depthwise}.0", f"{depthwise}.1", (wide, wide), 3, stride, wide)
            y = clipped(y, f"{depthwise}.2")
            y = conv(y, f"{at}.conv.{step + 1}", f"{at}.conv.{step + 2}", (wide, out))
            x = net.node("Add", x, y, at=path_of(at)) if stride == 1 and channels == out else y
            channels, index = out, index + 1
    return clipped(conv(x, "features.18.0", "features.18.1", (channels, _LAST)), "features.18.2")


def _flat(net: Net, x: str, batch: int | None, folds: bool) -> str:
    """``x.reshape(x.shape[0], -1)`` as it was traced."""
    size = net.node("Gather", net.node("Shape", x), net.constant([0], ()), axis=0)
    size = net.node("Unsqueeze", size, net.constant([0], (1,)))
    rest = net.stored_constant("/rest", [-1], (1,)) if folds else net.constant([-1], (1,))
    return net.describe(net.node("Reshape", x, net.node("Concat", size, rest, axis=0)), (batch, _LAST))


NETWORK = Network(
    _make,
    {
        "": "MobileNet-v2 in FP32, also for FP16 builds",
        "fp16": "MobileNet-v2 with FP16 tensors, for strongly typed builds",
        "qat": "MobileNet-v2 with Q/DQ at inputs and weights of convolutions and classifier",
        "qat-residual": "the same, with Q/DQ at the shortcuts",
    },
    has_names=False,
)
