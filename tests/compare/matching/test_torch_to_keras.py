"""ResNet50 exported from PyTorch against the one that others exported from Keras: names have nothing in common."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.onnx_models import Net
from trex.compare.plan_diff import PlanDiff
from trex.core.layer import Layer
from trex.engine_plan import load
from trex.simulation import simulate

Convolution = tuple[int, int, int]
"""Stage, block, number in the block; 0 for the convolution of a shortcut."""


def torch_resnet50(path: Path) -> Path:
    net = Net(17)

    def conv(x: str, at: str, channels: tuple[int, int], kernel: int, stride: int = 1) -> str:
        weights = net.weight(channels[1], channels[0], kernel, kernel)
        return str(net.node("Conv", x, weights, name=f"{at}/Conv", strides=[stride] * 2, pads=[kernel // 2] * 4))

    def relu(x: str, at: str) -> str:
        return str(net.node("Relu", x, name=at))

    x = relu(conv(net.input("input", (32, 3, 224, 224)), "/conv1", (3, 64), 7, 2), "/relu/Relu")
    x = net.node("MaxPool", x, name="/maxpool/MaxPool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for stage, blocks in enumerate((3, 4, 6, 3), 1):
        width = 32 << stage
        for block in range(blocks):
            at, stride = f"/layer{stage}/layer{stage}.{block}", 2 if stage > 1 and not block else 1
            y = relu(conv(x, f"{at}/conv1", (channels, width), 1), f"{at}/relu/Relu")
            y = relu(conv(y, f"{at}/conv2", (width, width), 3, stride), f"{at}/relu_1/Relu")
            y = conv(y, f"{at}/conv3", (width, 4 * width), 1)
            if not block:
                x = conv(x, f"{at}/downsample/downsample.0", (channels, 4 * width), 1, stride)
            x = relu(net.node("Add", y, x, name=f"{at}/Add"), f"{at}/relu_2/Relu")
            channels = 4 * width
    pooled = net.node("Flatten", net.node("GlobalAveragePool", x, name="/avgpool/GlobalAveragePool"), name="/Flatten")
    net.output(net.node("Gemm", pooled, net.weight(1000, 2048), net.weight(1000), name="/fc/Gemm", transB=1))
    return net.save(path / "torch.onnx")


def convolutions_of(layers: tuple[Layer, ...]) -> set[Convolution]:
    found: set[Convolution] = set()
    for layer in (layer for layer in layers if layer.type == "Convolution"):
        for torch in re.finditer(r"/layer(\d)/layer\d\.(\d+)/(?:conv(\d)|downsample)", layer.name):
            found.add((int(torch[1]) + 1, int(torch[2]) + 1, int(torch[3] or 0)))
        for keras in re.finditer(r"conv(\d)_block(\d+)_(\d)_conv", layer.name):
            found.add((int(keras[1]), int(keras[2]), int(keras[3])))
        if ("/conv1/Conv" in layer.name and not found) or "conv1_relu" in layer.name:
            found.add((1, 1, 1))
    return found


@pytest.mark.parametrize(("engine", "option"), [("fp16", "--fp16"), ("fp32", "")])
def test_every_convolution_has_its_partner(shared_engines: Path, tmp_path: Path, engine: str, option: str) -> None:
    torch = simulate(torch_resnet50(tmp_path), *filter(None, [option]), device="RTX 3090")
    keras = load(shared_engines / f"trt8.2-resnet50-rtx3090-{engine}")
    pairs: list[Convolution] = []
    for change in PlanDiff(torch, keras).changes:
        left = convolutions_of(tuple(torch.working_layers[position] for position in change.match.left))
        right = convolutions_of(tuple(keras.working_layers[position] for position in change.match.right))
        assert left == right, (left, right)
        pairs += left
    assert len(set(pairs)) == 53  # the stem, 48 in blocks, 4 of shortcuts
