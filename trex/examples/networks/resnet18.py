"""ResNet18: eight blocks of two 3×3 convolutions around a shortcut, as torchvision exports it.

Source: He et al. 2015, table 1 (18 layers). 1.81 GMACs for a 224×224 image, 11.69 M parameters. The INT8 variants
are those of the published Q/DQ walk-through: quantizers at the inputs and weights of convolutions and classifier; also
at the shortcuts; also at the input of the global pooling. They keep their batch normalizations, which no exporter folds
into quantized weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.examples.net import FLOAT, HALF, Net
from trex.examples.network import Network, NetworkOptions
from trex.examples.numbered import number_names
from trex.examples.quantize import quantize

if TYPE_CHECKING:
    import onnx

_STAGES = (64, 128, 256, 512)
_BLOCKS = 2
_TRAINED = 122  # tensors of the state dictionary, which the tracer counts first


@dataclass(frozen=True)
class _Block:
    """Values of a block that the tracer names after variables. shortcut: "" if it is the block's input."""

    output: str
    shortcut: str = ""
    added: str = ""


def _make(options: NetworkOptions) -> onnx.ModelProto:
    is_half, is_quantized = options.variant == "fp16", options.variant.startswith("qat")
    has_numbers = (options.names or ("paths" if is_half else "numbers")) == "numbers"
    net = Net("resnet18", weights=options.weights, type=HALF if is_half else FLOAT)
    blocks = _build(net, options.batch, has_numbers, is_quantized)
    model = net.model(opset=13 if has_numbers else 17, ir_version=7 if has_numbers else 8)
    has_residuals, has_pooling = "residual" in options.variant, "qgap" in options.variant
    if is_quantized:
        constants = ("nodes", "shared") if has_numbers else ("stored", "stored")
        model = quantize(
            model,
            residuals=has_residuals,
            pooling=has_pooling,
            constants=constants[0],
            weight_constants=constants[1],
        )
    if not has_numbers:
        return model
    names = _traced_names(blocks, has_residuals, has_pooling) if is_quantized else _folded_names(blocks)
    return number_names(model, _TRAINED + 1, has_folded_norms=not is_quantized, names=names)


def _build(net: Net, batch: int | None, has_numbers: bool, has_norms: bool) -> list[_Block]:
    """Adds the whole network; its blocks."""

    def conv(x: str, module: str, norm: str, channels: tuple[int, int], kernel: int, stride: int = 1) -> str:
        y = net.conv(x, module, channels, kernel, stride=stride, has_bias=not has_norms)
        return net.norm(y, norm, channels[1]) if has_norms else y

    x = net.input("input.1" if has_numbers else "input", (batch, 3, 224, 224))
    x = net.node("Relu", conv(x, "conv1", "bn1", (3, 64), 7, 2), at="/relu")
    pooled = net.max_pool(x, "/maxpool", 3, 2, 1)
    blocks = [_Block(pooled)]
    channels = 64
    for stage, width in enumerate(_STAGES, 1):
        for index in range(_BLOCKS):
            at, stride = f"layer{stage}.{index}", 2 if stage > 1 and not index else 1
            path, x = f"/layer{stage}/layer{stage}.{index}", blocks[-1].output
            y = net.node("Relu", conv(x, f"{at}.conv1", f"{at}.bn1", (channels, width), 3, stride), at=f"{path}/relu")
            y = conv(y, f"{at}.conv2", f"{at}.bn2", (width, width), 3)
            shortcut = x
            if channels != width:
                down = f"{at}.downsample"
                shortcut = conv(x, f"{down}.0", f"{down}.1", (channels, width), 1, stride)
            added = net.node("Add", y, shortcut, at=path)
            output = net.node("Relu", added, at=f"{path}/relu_1")
            blocks.append(_Block(output, "" if shortcut == x else shortcut, added))
            channels = width
    x = net.node("GlobalAveragePool", blocks[-1].output, at="/avgpool")
    x = net.node("Flatten", x, axis=1)
    x = net.linear(x, "fc", (channels, 1000))
    net.output("output", x, (batch, 1000))
    return blocks


def _folded_names(blocks: list[_Block]) -> dict[str, str]:
    """Names that the tracer takes from ``input``, the modules' parameter, if batch normalizations are folded.

    It counts in fours: convolutions with a folded normalization have names that are not in the export.
    """
    names, count = {}, 8
    for block in blocks:
        if block.added:
            count += 20 if block.shortcut else 16
            names[block.added] = f"input.{count - 4}"
        names[block.output] = f"input.{count}"
    return names


def _traced_names(blocks: list[_Block], has_residuals: bool, has_pooling: bool) -> dict[str, str]:
    """Names that the tracer takes from ``inputs``, the quantizers' parameter, in their order."""
    quantized = []
    for block in blocks:
        quantized += [block.shortcut] if block.shortcut and has_residuals else []
        quantized.append(block.output)
    names = {}
    if not has_pooling:
        names[quantized.pop()] = "input.115"
    quantized.append("/Flatten_output_0")
    names.update((name, f"inputs.{4 * index}" if index else "inputs") for index, name in enumerate(quantized))
    return names


NETWORK = Network(
    _make,
    {
        "": "ResNet18 in FP32, also for FP16 builds",
        "fp16": "ResNet18 with FP16 tensors, for strongly typed builds",
        "qat": "ResNet18 with Q/DQ at inputs and weights of convolutions and classifier",
        "qat-residual": "the same, with Q/DQ at the shortcuts",
        "qat-residual-qgap": "the same, with Q/DQ before the global average pooling",
    },
)
