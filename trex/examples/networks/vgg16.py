"""VGG16: thirteen 3×3 convolutions and three fully connected layers, as torchvision exports it.

Source: Simonyan and Zisserman 2014, table 1, configuration D. 15.5 GMACs for a 224×224 image, 138.4 M parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.examples.blocks import classifier
from trex.examples.net import FLOAT, HALF, Net, path_of
from trex.examples.network import Network, NetworkOptions

if TYPE_CHECKING:
    import onnx

# Output channels of the convolutions; None: a 2×2 pooling.
_FEATURES = (64, 64, None, 128, 128, None, 256, 256, 256, None, 512, 512, 512, None, 512, 512, 512, None)
_CLASSIFIER = ((0, 512 * 7 * 7, 4096), (3, 4096, 4096), (6, 4096, 1000))


def _make(options: NetworkOptions) -> onnx.ModelProto:
    net = Net("vgg16", weights=options.weights, type=HALF if options.variant == "fp16" else FLOAT)
    x = net.input("input", (options.batch, 3, 224, 224))
    into, index = 3, 0
    for channels in _FEATURES:
        module = f"features.{index}"
        if channels is None:
            x, index = net.max_pool(x, path_of(module), 2, 2), index + 1
            continue
        x = net.node("Relu", net.conv(x, module, (into, channels), 3), at=path_of(f"features.{index + 1}"))
        into, index = channels, index + 2
    net.output("output", classifier(net, x, _CLASSIFIER), (options.batch, 1000))
    return net.model(opset=17, ir_version=8)


NETWORK = Network(
    _make,
    {"": "VGG16 in FP32, also for FP16 builds", "fp16": "VGG16 with FP16 tensors, for strongly typed builds"},
    has_names=False,
)
