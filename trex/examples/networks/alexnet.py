"""AlexNet: five convolutions and three fully connected layers, as torchvision exports it.

Source: Krizhevsky 2014 ("One weird trick"), table 1, one tower. 0.714 GMACs for a 224×224 image, 61.1 M parameters,
most of them in the fully connected layers. torchvision's adaptive pooling from 6×6 to 6×6 does nothing and is left
out, as in engines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.examples.blocks import classifier
from trex.examples.net import FLOAT, HALF, Net, path_of
from trex.examples.network import Network, NetworkOptions

if TYPE_CHECKING:
    import onnx

# (index among the features, channels, kernel, stride, padding); None: a 3×3 pooling that halves the extents.
_FEATURES = (
    (0, (3, 64), 11, 4, 2),
    (2, None, 3, 2, 0),
    (3, (64, 192), 5, 1, 2),
    (5, None, 3, 2, 0),
    (6, (192, 384), 3, 1, 1),
    (8, (384, 256), 3, 1, 1),
    (10, (256, 256), 3, 1, 1),
    (12, None, 3, 2, 0),
)
_CLASSIFIER = ((1, 256 * 6 * 6, 4096), (4, 4096, 4096), (6, 4096, 1000))


def _make(options: NetworkOptions) -> onnx.ModelProto:
    is_half = options.variant == "fp16"
    net = Net("alexnet", weights=options.weights, type=HALF if is_half else FLOAT)
    x = net.input("input", (options.batch, 3, 224, 224))
    for index, channels, kernel, stride, padding in _FEATURES:
        module = f"features.{index}"
        if channels is None:
            x = net.max_pool(x, path_of(module), kernel, stride, padding)
        else:
            x = net.conv(x, module, channels, kernel, stride=stride, padding=padding)
            x = net.node("Relu", x, at=path_of(f"features.{index + 1}"))
    net.output("output", classifier(net, x, _CLASSIFIER), (options.batch, 1000))
    return net.model(opset=17, ir_version=8)


NETWORK = Network(
    _make,
    {"": "AlexNet in FP32", "fp16": "AlexNet with FP16 tensors, for strongly typed builds"},
    has_names=False,
)
