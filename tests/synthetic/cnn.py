"""Convolutional engines: ResNet18 from its public architecture, and a made-up network of any length."""

from __future__ import annotations

from collections.abc import Sequence

from tests.synthetic import layers as make
from tests.synthetic.description import Description, Region, Step

# ResNet18: four stages of two basic blocks (He et al., 2015): channels, spatial size after the stage at 224×224.
STAGES = ((64, 56), (128, 28), (256, 14), (512, 7))


class _Chain:
    """The steps so far; ``add`` appends one and returns what it writes."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, step: Step) -> Region:
        self.steps.append(step)
        return step.outputs[0]


def resnet18_fp16(batch: int = 32) -> Description:
    """ResNet18 in half precision: channels-last throughout, a reformat at each border, the additions fused."""
    chain = _Chain()
    image = Region("input", (batch, 3, 224, 224), "FP32")
    stem = "/conv1/Conv + /relu/Relu"
    moved = Region(f"Reformatted Input Tensor 0 to {stem}", image.dims, "FP16", "hwc4")
    x = chain.add(make.reformat(f"Reformatting CopyNode for Input Tensor 0 to {stem}", image, moved))
    y = Region("/relu/Relu_output_0", (batch, 64, 112, 112), "FP16", "hwc8")
    x = chain.add(make.convolution(stem, x, y, (7, 7), stride=2, relu=True, origins=("/conv1/Conv", "/relu/Relu")))
    y = Region("/maxpool/MaxPool_output_0", (batch, 64, 56, 56), "FP16", "hwc8")
    x = chain.add(make.pooling("/maxpool/MaxPool", x, y, (3, 3), origins=("/maxpool/MaxPool",)))
    for stage, (channels, size) in enumerate(STAGES, 1):
        for block in range(2):
            at = f"/layer{stage}/layer{stage}.{block}"
            stride = 2 if stage > 1 and block == 0 else 1
            shape = (batch, channels, size, size)
            identity = x
            y = Region(f"{at}/relu/Relu_output_0", shape, "FP16", "hwc8")
            parts = (f"{at}/conv1/Conv", f"{at}/relu/Relu")
            h = chain.add(make.convolution(" + ".join(parts), x, y, (3, 3), stride=stride, relu=True, origins=parts))
            if stride == 2:
                part = f"{at}/downsample/downsample.0/Conv"
                y = Region(f"{part}_output_0", shape, "FP16", "hwc8")
                identity = chain.add(make.convolution(part, x, y, (1, 1), stride=2, origins=(part,), padding=(0, 0)))
            parts3 = (f"{at}/conv2/Conv", f"{at}/Add", f"{at}/relu_1/Relu")
            y = Region(f"{at}/relu_1/Relu_output_0", shape, "FP16", "hwc8")
            x = chain.add(
                make.convolution(" + ".join(parts3), h, y, (3, 3), relu=True, residual=identity, origins=parts3)
            )
    y = Region("/avgpool/GlobalAveragePool_output_0", (batch, 512, 1, 1), "FP16", "hwc8")
    part = "/avgpool/GlobalAveragePool"
    x = chain.add(make.pooling(part, x, y, (7, 7), kind="AVERAGE", stride=1, padding=0, origins=(part,)))
    y = Region("/fc/Gemm_out_tensor", (batch, 1000, 1, 1), "FP16", "hwc8")
    x = chain.add(make.gemm_convolution("/fc/Gemm", x, y, ("/fc/Gemm",)))
    y = Region("Reformatted Output Tensor 0 to /fc/Gemm", y.dims, "FP32")
    x = chain.add(make.reformat("Reformatting CopyNode for Output Tensor 0 to /fc/Gemm", x, y))
    output = Region("output", (batch, 1000), "FP32")
    chain.add(make.no_op("squeeze_after_/fc/Gemm", x, output, ("/fc/Gemm",)))
    return Description(
        "resnet18-fp16",
        tuple(chain.steps),
        (image,),
        (output,),
        f"ResNet18, batch {batch}, FP16, channels-last",
        "resnet18.onnx",
    )


def resnet18_int8(batch: int = 32, residual_quantizers: bool = False) -> Description:
    """ResNet18 after quantization-aware training: INT8 convolutions over 32-wide channel vectors.

    Without quantizers on the residual connections every block's addition is done in FP16, so the convolutions
    around it write floats and a Reformat of origin QDQ quantizes their result again: 12 Reformat layers of 37, and
    13 INT8 convolutions with float outputs. With them the blocks stay in INT8, the first convolution fuses with its
    pooling, and 3 Reformat layers are left. (NVIDIA's published ResNet18 Q/DQ walk-through describes both.)
    """
    chain = _Chain()
    image = Region("input", (batch, 3, 224, 224), "FP32")
    part = "/conv1/_input_quantizer/QuantizeLinear"
    x = chain.add(make.reformat(part, image, Region(f"{part}_output_0", image.dims, "INT8", "chw4"), "QDQ", (part,)))
    if residual_quantizers:
        y = Region("/maxpool/MaxPool_output_0", (batch, 64, 56, 56), "INT8", "chw32")
        parts = ("/conv1/_weight_quantizer/QuantizeLinear", "/conv1/Conv", "/relu/Relu", "/maxpool/MaxPool")
        name = " + ".join(("conv1.weight", *parts))
        x = chain.add(make.convolution_and_pooling(name, x, y, (batch, 64, 112, 112), parts))
        carried = quantized = x
    else:
        y = Region("/relu/Relu_output_0", (batch, 64, 112, 112), "FP32")
        x = chain.add(_quantized("/conv1", "conv1.weight", x, y, (7, 7), stride=2, relu=True))
        part = "/maxpool/MaxPool"
        wide = Region(f"Reformatted Output Tensor 0 to {part}", (batch, 64, 56, 56), "FP32")
        x = chain.add(make.pooling(part, x, wide, (3, 3), origins=(part,), layer_type="TiledPooling"))
        y = Region(f"{part}_output_0", wide.dims, "FP16", "chw32")
        carried = chain.add(make.reformat(f"Reformatting CopyNode for Output Tensor 0 to {part}", x, y))
        quantized = _quantize(chain, carried, "/layer1/layer1.0/conv1")
    carrier = "INT8" if residual_quantizers else "FP16"
    for stage, (channels, size) in enumerate(STAGES, 1):
        for block in range(2):
            at, weight = f"/layer{stage}/layer{stage}.{block}", f"layer{stage}.{block}"
            stride = 2 if stage > 1 and block == 0 else 1
            shape = (batch, channels, size, size)
            y = Region(f"{at}/conv2/_input_quantizer/QuantizeLinear_output_0", shape, "INT8", "chw32")
            h = chain.add(
                _quantized(f"{at}/conv1", f"{weight}.conv1.weight", quantized, y, (3, 3), stride=stride, relu=True)
            )
            end = (f"{at}/Add", f"{at}/relu_1/Relu")
            y = Region(f"{at}/relu_1/Relu_output_0", shape, carrier, "chw32")
            if stride == 2:
                side = Region(f"{at}/conv2/Conv_output_0", shape, carrier, "chw32")
                h = chain.add(_quantized(f"{at}/conv2", f"{weight}.conv2.weight", h, side, (3, 3)))
                carried = chain.add(
                    _quantized(
                        f"{at}/downsample/downsample.0",
                        f"{weight}.downsample.0.weight",
                        quantized,
                        y,
                        (1, 1),
                        stride=2,
                        relu=True,
                        residual=h,
                        end=end,
                    )
                )
            else:
                carried = chain.add(
                    _quantized(
                        f"{at}/conv2", f"{weight}.conv2.weight", h, y, (3, 3), relu=True, residual=carried, end=end
                    )
                )
            if residual_quantizers:
                quantized = carried
            elif (stage, block) != (4, 1):
                quantized = _quantize(chain, carried, _next_block(stage, block))
    part = "/avgpool/GlobalAveragePool"
    y = Region(f"Reformatted Input Tensor 0 to {part}", carried.dims, "FP16", "chw2")
    x = chain.add(make.reformat(f"Reformatting CopyNode for Input Tensor 0 to {part}", carried, y))
    y = Region(f"{part}_output_0", (batch, 512, 1, 1), "FP16", "chw2")
    x = chain.add(
        make.pooling(
            part, x, y, (7, 7), kind="AVERAGE", stride=1, padding=0, origins=(part,), layer_type="TiledPooling"
        )
    )
    q = "/fc/_input_quantizer/QuantizeLinear"
    x = chain.add(make.reformat(q, x, Region(f"{q}_output_0", x.dims, "INT8", "chw4"), "QDQ", (q,)))
    name = "fc.weight + /fc/_weight_quantizer/QuantizeLinear + /fc/Gemm"
    moved = Region(f"Reformatted Input Tensor 0 to {name}", x.dims, "INT8", "chw32")
    x = chain.add(make.no_op(f"Reformatting CopyNode for Input Tensor 0 to {name}", x, moved))
    y = Region("/fc/Gemm_out_tensor", (batch, 1000, 1, 1), "FP32")
    x = chain.add(_quantized("/fc", "fc.weight", x, y, (1, 1), operator="Gemm"))
    output = Region("output", (batch, 1000), "FP32")
    chain.add(make.no_op("copied_squeeze_after_/fc/Gemm", x, output))
    return Description(
        "resnet18-int8-residual" if residual_quantizers else "resnet18-int8",
        tuple(chain.steps),
        (image,),
        (output,),
        f"ResNet18, batch {batch}, INT8 with Q/DQ"
        + (" and quantizers on the residual connections" if residual_quantizers else ""),
        "resnet18-qat-residual.onnx" if residual_quantizers else "resnet18-qat.onnx",
    )


def _next_block(stage: int, block: int) -> str:
    stage, block = (stage, 1) if block == 0 else (stage + 1, 0)
    return f"/layer{stage}/layer{stage}.{block}/conv1"


def _quantize(chain: _Chain, source: Region, consumer: str) -> Region:
    part = f"{consumer}/_input_quantizer/QuantizeLinear"
    return chain.add(
        make.reformat(part, source, Region(f"{part}_output_0", source.dims, "INT8", "chw32"), "QDQ", (part,))
    )


def _quantized(
    at: str,
    weight: str,
    source: Region,
    output: Region,
    kernel: Sequence[int],
    *,
    stride: int = 1,
    relu: bool = False,
    residual: Region | None = None,
    end: tuple[str, ...] = (),
    operator: str = "Conv",
) -> Step:
    parts = (f"{at}/_weight_quantizer/QuantizeLinear", f"{at}/{operator}", *end)
    return make.convolution(
        " + ".join((weight, *parts)),
        source,
        output,
        kernel,
        stride=stride,
        relu=relu,
        residual=residual,
        weights="INT8",
        origins=parts,
        padding=None if kernel[0] > 1 else (0, 0),
    )


def cnn(layers: int, type_: str = "FP16", seed: int = 0) -> Description:
    """A network of exactly ``layers`` layers (at least 2): residual blocks between a reformat and a classifier.

    Every ten layers hold six convolutions, a pointwise sum, a pooling, a reformat and a no-op. ``seed`` moves the
    channel counts, so that two networks of one length differ.
    """
    if layers < 2:
        raise ValueError("a network needs a first and a last layer")
    chain = _Chain()
    layout = "chw32" if type_ == "INT8" else "hwc8" if type_ in ("FP16", "BF16") else "linear"
    width = 32 * (1 + seed % 4)
    image = Region("input", (8, 3, 64, 64), "FP32")
    x = chain.add(
        make.reformat(
            "Reformatting CopyNode for Input Tensor 0 to /stem/Conv",
            image,
            Region("/stem/in", image.dims, type_, layout),
        )
    )
    block = 0
    while len(chain.steps) < layers - 1:
        at = f"/stage{block // 10}/stage{block // 10}.{block % 10}"
        x = _block(chain, x, at, (8, width * (1 + block % 3), 32, 32), type_, layout, layers - 1)
        block += 1
    output = Region("output", (8, 1000, 1, 1), type_, layout)
    chain.add(make.gemm_convolution("/fc/Gemm", x, output, ("/fc/Gemm",)))
    return Description(
        f"cnn-{layers}", tuple(chain.steps), (image,), (output,), f"a convolutional network of {layers} layers"
    )


def _block(chain: _Chain, x: Region, at: str, dims: tuple[int, ...], type_: str, layout: str, limit: int) -> Region:
    identity = x
    for position in range(10):
        if len(chain.steps) >= limit:
            return x
        y = Region(f"{at}/t{position}_output_0", dims, type_, layout)
        if position in (0, 1, 3, 4, 6, 7):
            part = f"{at}/conv{position}"
            parts = (f"{part}/Conv", f"{part}/relu/Relu")
            residual = identity if position == 4 and identity.dims == dims else None
            stride = x.dims[-1] // dims[-1]  # 2 in the first of all
            name = " + ".join(parts)
            x = chain.add(
                make.convolution(name, x, y, (3, 3), stride=stride, relu=True, origins=parts, residual=residual)
            )
        elif position == 2:
            parts = (f"{at}/Mul", f"{at}/Add")
            x = chain.add(make.pointwise(f"PWN({parts[0]}, {parts[1]})", (x, identity), y, ("iMul", "iPlus"), parts))
        elif position == 5:
            x = chain.add(make.pooling(f"{at}/MaxPool", x, y, (3, 3), stride=1, origins=(f"{at}/MaxPool",)))
        elif position == 8:
            y = Region(y.name, dims, type_, "linear")
            x = chain.add(make.reformat(f"Reformatting CopyNode for Input Tensor 0 to {at}/Reshape", x, y))
        else:
            x = chain.add(make.no_op(f"{at}/Reshape", x, y, (f"{at}/Reshape",)))
        identity = x if position == 2 else identity
    return x
