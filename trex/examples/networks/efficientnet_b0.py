"""EfficientNet-B0: sixteen inverted residual blocks with SiLU and squeeze-and-excitation, as torchvision exports it.

Source: Tan and Le 2019, table 1; the squeezed channels are a quarter of those that enter a block. 0.386 GMACs for a
224×224 image, 5.3 M parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.examples.net import FLOAT, HALF, Net, path_of
from trex.examples.network import Network, NetworkOptions
from trex.examples.quantize import quantize

if TYPE_CHECKING:
    import onnx

# Table 1: expansion, kernel, output channels, blocks, stride of the first.
_STAGES = (
    (1, 3, 16, 1, 1),
    (6, 3, 24, 2, 2),
    (6, 5, 40, 2, 2),
    (6, 3, 80, 3, 2),
    (6, 5, 112, 3, 1),
    (6, 5, 192, 4, 2),
    (6, 3, 320, 1, 1),
)
_FIRST, _LAST = 32, 1280
_SQUEEZED = 4


def _make(options: NetworkOptions) -> onnx.ModelProto:
    net = Net("efficientnet-b0", weights=options.weights, type=HALF if options.variant == "fp16" else FLOAT)
    x = net.input("input", (options.batch, 3, 224, 224))
    x = _silu(net, net.conv(x, "features.0.0", (3, _FIRST), 3, stride=2), "features.0.2")
    channels = _FIRST
    for stage, (expansion, kernel, out, count, stride) in enumerate(_STAGES, 1):
        for block in range(count):
            at = f"features.{stage}.{block}"
            x = _block(net, x, at, (channels, out), expansion, kernel, 1 if block else stride)
            channels = out
    x = _silu(net, net.conv(x, "features.8.0", (channels, _LAST), 1), "features.8.2")
    x = net.node("Flatten", net.node("GlobalAveragePool", x, at=path_of("avgpool")), axis=1)
    net.output("output", net.linear(x, "classifier.1", (_LAST, 1000)), (options.batch, 1000))
    model = net.model(opset=17, ir_version=8)
    return quantize(model, residuals=True) if options.variant == "qat" else model


def _block(net: Net, x: str, at: str, channels: tuple[int, int], expansion: int, kernel: int, stride: int) -> str:
    """Expand, convolve each channel, weigh the channels, project; with a shortcut where nothing changes size."""
    into, out = channels
    wide, step, y = into * expansion, 0, x
    if expansion > 1:
        y, step = _silu(net, net.conv(x, f"{at}.block.0.0", (into, wide), 1), f"{at}.block.0.2"), 1
    y = net.conv(y, f"{at}.block.{step}.0", (wide, wide), kernel, stride=stride, group=wide)
    y = _weighed(net, _silu(net, y, f"{at}.block.{step}.2"), f"{at}.block.{step + 1}", wide, into // _SQUEEZED)
    y = net.conv(y, f"{at}.block.{step + 2}.0", (wide, out), 1)
    return net.node("Add", y, x, at=path_of(at)) if stride == 1 and into == out else y


def _weighed(net: Net, x: str, at: str, channels: int, squeezed: int) -> str:
    """Squeeze-and-excitation: every channel times a number that depends on the means of all."""
    mean = net.node("GlobalAveragePool", x, at=path_of(f"{at}.avgpool"))
    y = _silu(net, net.conv(mean, f"{at}.fc1", (channels, squeezed), 1), f"{at}.activation")
    y = net.conv(y, f"{at}.fc2", (squeezed, channels), 1)
    return net.node("Mul", net.node("Sigmoid", y, at=path_of(f"{at}.scale_activation")), x, at=path_of(at))


def _silu(net: Net, x: str, module: str) -> str:
    return net.node("Mul", x, net.node("Sigmoid", x, at=path_of(module)), at=path_of(module))


NETWORK = Network(
    _make,
    {
        "": "EfficientNet-B0 in FP32, also for FP16 builds",
        "fp16": "EfficientNet-B0 with FP16 tensors, for strongly typed builds",
        "qat": "EfficientNet-B0 with Q/DQ at inputs and weights of convolutions and classifier, and at shortcuts",
    },
    has_names=False,
)
