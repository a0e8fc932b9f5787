"""Building blocks: small networks of one pattern each, to compare what builders make of it.

Every block exists in FP32 and FP16, some also with Q/DQ (``qat``). Their sizes are those of layers in published
networks, small enough that a build takes a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.examples.blocks import attention, dense, gelu, layer_norm
from trex.examples.net import FLOAT, HALF, INT64, Net
from trex.examples.quantize import quantize

if TYPE_CHECKING:
    import onnx

Block = Callable[[Net], tuple[str, tuple[int, ...]]]
"""Adds a pattern with its inputs to a Net; returns (value of the output, its shape)."""
_CHANNELS, _EXTENT = 64, 28
_IMAGE = (1, _CHANNELS, _EXTENT, _EXTENT)
_WIDTH, _TOKENS, _HEADS = 256, 128, 4
_ROWS = (1, _TOKENS, _WIDTH)
_SIZE = _WIDTH // _HEADS
_OPSET, _IR = 17, 8


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


def _scalar(net: Net, number: float) -> str:
    return net.constant([number], (), type=net.type)


def _image(net: Net, name: str = "x", channels: int = _CHANNELS, extent: int = _EXTENT) -> str:
    return net.input(name, (1, channels, extent, extent))


def _rows(net: Net, name: str = "x", tokens: int = _TOKENS) -> str:
    return net.input(name, (1, tokens, _WIDTH))


# --- attention


def _projected(net: Net, x: str, context: str = "") -> list[str]:
    reads = {"query": x, "key": context or x, "value": context or x}
    return [dense(net, read, name, _WIDTH, _WIDTH) for name, read in reads.items()]


def _self_attention(mask: bool) -> Block:
    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        x = _rows(net)
        masked = net.input("mask", (1, 1, 1, _TOKENS)) if mask else ""
        y = attention(net, _projected(net, x), "/attention", _HEADS, _WIDTH, masked)
        return dense(net, y, "output", _WIDTH, _WIDTH), _ROWS

    return block


def _cross_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    x, text = _rows(net), _rows(net, "text", 77)
    return dense(
        net, attention(net, _projected(net, x, text), "/attention", _HEADS, _WIDTH), "output", _WIDTH, _WIDTH
    ), _ROWS


def _causal_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    """The mask is a stored triangle; the query is scaled before the product, as in decoders."""
    x = _rows(net)
    low = -60000.0
    triangle = [0.0 if column <= row else low for row in range(_TOKENS) for column in range(_TOKENS)]
    mask = net.stored_constant("triangle", triangle, (1, 1, _TOKENS, _TOKENS), net.type)
    return dense(net, _heads(net, _projected(net, x), _HEADS, mask), "output", _WIDTH, _WIDTH), _ROWS


def _grouped_attention(key_heads: int) -> Block:
    """Fewer heads of key and value than of the query, repeated by Expand: one is multi-query attention."""

    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        x, narrow = _rows(net), key_heads * _SIZE
        rows = [dense(net, x, "query", _WIDTH, _WIDTH, has_bias=False)]
        rows += [dense(net, x, name, _WIDTH, narrow, has_bias=False) for name in ("key", "value")]
        return dense(net, _heads(net, rows, key_heads), "output", _WIDTH, _WIDTH, has_bias=False), _ROWS

    return block


def _heads(net: Net, rows: Sequence[str], key_heads: int, mask: str = "", rotary: bool = False) -> str:
    """Attention with the scale at the query and, with fewer heads of key and value, their repetition."""
    at, repeats = "/attention", _HEADS // key_heads

    def split(row: str, heads: int) -> str:
        y = net.node("Reshape", row, net.constant([1, _TOKENS, heads, _SIZE], (4,), at), at=at)
        return net.node("Transpose", y, at=at, perm=[0, 2, 1, 3])

    def repeated(y: str) -> str:
        if repeats == 1:
            return y
        y = net.node("Unsqueeze", y, net.constant([2], (1,), at), at=at)
        y = net.node("Expand", y, net.constant([1, key_heads, repeats, _TOKENS, _SIZE], (5,), at), at=at)
        return net.node("Reshape", y, net.constant([1, _HEADS, _TOKENS, _SIZE], (4,), at), at=at)

    query, key, value = split(rows[0], _HEADS), split(rows[1], key_heads), split(rows[2], key_heads)
    if rotary:
        query, key = _rotated(net, query), _rotated(net, key)
    query = net.node("Mul", query, _scalar(net, 1 / sqrt(_SIZE)), at=at)
    key, value = repeated(key), repeated(value)
    scores = net.node("MatMul", query, net.node("Transpose", key, at=at, perm=[0, 1, 3, 2]), at=at)
    scores = net.node("Add", scores, mask, at=at) if mask else scores
    y = net.node("MatMul", net.node("Softmax", scores, at=at, axis=-1), value, at=at)
    y = net.node("Transpose", y, at=at, perm=[0, 2, 1, 3])
    return net.node("Reshape", y, net.constant([1, _TOKENS, _WIDTH], (3,), at), at=at)


def _rotated(net: Net, y: str) -> str:
    """Rotary position embedding: y · cos + (−second half, first half) · sin."""
    at, half = "/rotary", _SIZE // 2
    cos, sin = (net.weight(f"rotary.{name}", 1, 1, _TOKENS, _SIZE) for name in ("cos", "sin"))
    axes, one = net.constant([-1], (1,), at), net.constant([half], (1,), at)
    first = net.node("Slice", y, net.constant([0], (1,), at), one, axes, at=at)
    second = net.node("Slice", y, one, net.constant([_SIZE], (1,), at), axes, at=at)
    turned = net.node("Concat", net.node("Neg", second, at=at), first, at=at, axis=-1)
    return net.node("Add", net.node("Mul", y, cos, at=at), net.node("Mul", turned, sin, at=at), at=at)


def _rotary_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    x = _rows(net)
    rows = [dense(net, x, name, _WIDTH, _WIDTH, has_bias=False) for name in ("query", "key", "value")]
    return dense(net, _heads(net, rows, _HEADS, rotary=True), "output", _WIDTH, _WIDTH, has_bias=False), _ROWS


def _packed_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    """Query, key and value of one product, as in vision transformers."""
    packed = dense(net, _rows(net), "qkv", _WIDTH, 3 * _WIDTH)
    rows = net.split(packed, 3, _WIDTH, "/attention")
    return dense(net, attention(net, rows, "/attention", _HEADS, _WIDTH), "output", _WIDTH, _WIDTH), _ROWS


def _selected_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    """The mask selects scores by Where."""
    x, at = _rows(net), "/attention"
    query, key, value = (net.input(name, (1, _HEADS, _TOKENS, _SIZE)) for name in ("query", "key", "value"))
    keep = net.node("Greater", net.input("keep", (1, 1, 1, _TOKENS)), _scalar(net, 0.0), at=at)
    scores = net.node("MatMul", query, net.node("Transpose", key, at=at, perm=[0, 1, 3, 2]), at=at)
    scores = net.node("Where", keep, net.node("Mul", scores, _scalar(net, 0.125), at=at), _scalar(net, -60000.0), at=at)
    y = net.node("MatMul", net.node("Softmax", scores, at=at, axis=-1), value, at=at)
    y = net.node("Transpose", y, at=at, perm=[0, 2, 1, 3])
    y = net.node("Reshape", y, net.constant([1, _TOKENS, _WIDTH], (3,), at), at=at)
    return net.node("Add", x, dense(net, y, "output", _WIDTH, _WIDTH), at=at), _ROWS


# --- layers of transformers


def _encoder_layer(net: Net) -> tuple[str, tuple[int, ...]]:
    """Norm before attention and MLP, as in vision transformers."""
    x = _rows(net)
    y = attention(net, _projected(net, layer_norm(net, x, "norm1", _WIDTH, 1e-6)), "/attention", _HEADS, _WIDTH)
    x = net.node("Add", dense(net, y, "output", _WIDTH, _WIDTH), x, at="/residual")
    y = gelu(net, dense(net, layer_norm(net, x, "norm2", _WIDTH, 1e-6), "fc1", _WIDTH, 4 * _WIDTH), "/act")
    return net.node("Add", dense(net, y, "fc2", 4 * _WIDTH, _WIDTH), x, at="/residual"), _ROWS


def _decoder_layer(net: Net) -> tuple[str, tuple[int, ...]]:
    """RMS norm, rotary grouped attention and gated SiLU, as in large language models."""
    x = _rows(net)
    y = _rms_norm(net, x, "norm1")
    rows = [dense(net, y, "query", _WIDTH, _WIDTH, has_bias=False)]
    rows += [dense(net, y, name, _WIDTH, _WIDTH // 2, has_bias=False) for name in ("key", "value")]
    y = dense(net, _heads(net, rows, _HEADS // 2, rotary=True), "output", _WIDTH, _WIDTH, has_bias=False)
    x = net.node("Add", x, y, at="/residual")
    return net.node("Add", x, _gated_mlp(net, _rms_norm(net, x, "norm2")), at="/residual"), _ROWS


def _gated_mlp(net: Net, x: str) -> str:
    gate, up = (dense(net, x, name, _WIDTH, 3 * _WIDTH, has_bias=False) for name in ("gate", "up"))
    product = net.node("Mul", _silu(net, gate), up, at="/mlp")
    return dense(net, product, "down", 3 * _WIDTH, _WIDTH, has_bias=False)


def _tanh_gelu(net: Net, x: str) -> str:
    """x · (1 + tanh(√(2/π) · (x + 0.044715 · x³))) / 2."""
    at = "/gelu"
    cube = net.node("Mul", net.node("Pow", x, _scalar(net, 3.0), at=at), _scalar(net, 0.044715), at=at)
    y = net.node("Mul", net.node("Add", x, cube, at=at), _scalar(net, 0.7978845608), at=at)
    y = net.node("Add", net.node("Tanh", y, at=at), _scalar(net, 1.0), at=at)
    return net.node("Mul", net.node("Mul", x, _scalar(net, 0.5), at=at), y, at=at)


def _silu(net: Net, x: str, at: str = "/silu") -> str:
    return net.node("Mul", x, net.node("Sigmoid", x, at=at), at=at)


_ACTIVATIONS: Mapping[str, Callable[[Net, str], str]] = {
    "relu": lambda net, x: net.node("Relu", x, at="/act"),
    "silu": _silu,
    "gelu": lambda net, x: gelu(net, x, "/gelu"),
    "gelu-tanh": _tanh_gelu,
    "hardswish": lambda net, x: net.node("HardSwish", x, at="/act"),
    "leaky-relu": lambda net, x: net.node("LeakyRelu", x, at="/act", alpha=0.1),
    "sigmoid": lambda net, x: net.node("Sigmoid", x, at="/act"),
    "relu6": lambda net, x: net.node("Clip", x, _scalar(net, 0.0), _scalar(net, 6.0), at="/act"),
}


def _mlp(activation: str) -> Block:
    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        y = _ACTIVATIONS[activation](net, dense(net, _rows(net), "fc1", _WIDTH, 4 * _WIDTH))
        return dense(net, y, "fc2", 4 * _WIDTH, _WIDTH), _ROWS

    return block


def _classifier(net: Net) -> tuple[str, tuple[int, ...]]:
    y = net.node("Relu", net.linear(net.input("x", (8, 512)), "fc1", (512, 256)), at="/act")
    return net.node("Softmax", net.linear(y, "fc2", (256, 10)), at="/softmax", axis=-1), (8, 10)


# --- normalizations


def _rms_norm(net: Net, x: str, module: str) -> str:
    at = f"/{module}"
    mean = net.node("ReduceMean", net.node("Pow", x, _scalar(net, 2.0), at=at), at=at, axes=[-1], keepdims=1)
    root = net.node("Sqrt", net.node("Add", mean, _scalar(net, 1e-3), at=at), at=at)
    return net.node("Mul", net.node("Div", x, root, at=at), net.weight(f"{module}.weight", _WIDTH, around=1.0), at=at)


def _written_layer_norm(net: Net, x: str) -> str:
    """Layer normalization as operators, as exported before opset 17."""
    at = "/norm"
    centered = net.node("Sub", x, net.node("ReduceMean", x, at=at, axes=[-1], keepdims=1), at=at)
    square = net.node("Pow", centered, _scalar(net, 2.0), at=at)
    variance = net.node("ReduceMean", square, at=at, axes=[-1], keepdims=1)
    root = net.node("Sqrt", net.node("Add", variance, _scalar(net, 1e-3), at=at), at=at)
    y = net.node("Mul", net.node("Div", centered, root, at=at), net.weight("norm.weight", _WIDTH, around=1.0), at=at)
    return net.node("Add", y, net.weight("norm.bias", _WIDTH), at=at)


_NORMS: Mapping[str, Callable[[Net, str], str]] = {
    "layer-norm": lambda net, x: layer_norm(net, x, "norm", _WIDTH, 1e-5),
    "layer-norm-written": _written_layer_norm,
    "rms-norm": lambda net, x: _rms_norm(net, x, "norm"),
}


def _normed(norm: str) -> Block:
    """A residual, its normalization and a linear layer."""

    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        x = net.node("Add", _rows(net), _rows(net, "residual"), at="/residual")
        return dense(net, _NORMS[norm](net, x), "fc", _WIDTH, _WIDTH), _ROWS

    return block


def _grouped(net: Net, x: str, module: str) -> str:
    """Group normalization of an image, as PyTorch exports it."""
    at, groups = f"/{module}", 32
    ones = net.stored_constant("group_norm.ones", [1.0] * groups, (groups,), net.type)
    zeros = net.stored_constant("group_norm.zeros", [0.0] * groups, (groups,), net.type)
    y = net.node("Reshape", x, net.constant([0, groups, -1], (3,), at), at=at)
    y = net.node("InstanceNormalization", y, ones, zeros, at=at, epsilon=1e-5)
    y = net.node("Reshape", y, net.constant(_IMAGE, (4,), at), at=at)
    y = net.node("Mul", y, net.weight(f"{module}.weight", _CHANNELS, 1, 1, around=1.0), at=at)
    return net.node("Add", y, net.weight(f"{module}.bias", _CHANNELS, 1, 1), at=at)


def _group_norm(net: Net) -> tuple[str, tuple[int, ...]]:
    """Group normalization with SiLU between convolutions, as in diffusion models."""
    y = _silu(net, _grouped(net, net.conv(_image(net), "conv1", (_CHANNELS, _CHANNELS), 3), "norm"))
    return net.conv(y, "conv2", (_CHANNELS, _CHANNELS), 3), _IMAGE


def _time_residual(net: Net) -> tuple[str, tuple[int, ...]]:
    """A residual of two convolutions, each after group normalization and SiLU, with the time added between them."""
    x, time = net.conv(_image(net), "stem", (_CHANNELS, _CHANNELS), 3), net.input("time", (1, _WIDTH))
    y = net.conv(_silu(net, _grouped(net, x, "norm1")), "conv1", (_CHANNELS, _CHANNELS), 3)
    shift = net.linear(_silu(net, time), "time", (_WIDTH, _CHANNELS))
    y = net.node("Add", y, net.node("Unsqueeze", shift, net.constant([2, 3], (2,)), at="/time"), at="/time")
    y = net.conv(_silu(net, _grouped(net, y, "norm2")), "conv2", (_CHANNELS, _CHANNELS), 3)
    return net.conv(net.node("Add", x, y, at="/add"), "head", (_CHANNELS, _CHANNELS), 3), _IMAGE


def _image_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    """Attention over the pixels of an image with a residual, as in diffusion models."""
    x = net.conv(_image(net), "stem", (_CHANNELS, _CHANNELS), 3)
    y = net.conv(_grouped(net, x, "norm"), "proj_in", (_CHANNELS, _CHANNELS), 1)
    y = net.node("Reshape", y, net.constant([0, _CHANNELS, _EXTENT * _EXTENT], (3,)), at="/tokens")
    tokens = net.node("Transpose", y, at="/tokens", perm=[0, 2, 1])
    normed = layer_norm(net, tokens, "norm1", _CHANNELS, 1e-5)
    rows = [dense(net, normed, name, _CHANNELS, _CHANNELS, has_bias=False) for name in ("query", "key", "value")]
    y = dense(net, attention(net, rows, "/attention", 2, _CHANNELS), "output", _CHANNELS, _CHANNELS)
    y = net.node("Transpose", net.node("Add", y, tokens, at="/tokens"), at="/tokens", perm=[0, 2, 1])
    y = net.node("Reshape", y, net.constant(_IMAGE, (4,)), at="/tokens")
    y = net.conv(y, "proj_out", (_CHANNELS, _CHANNELS), 1)
    return net.conv(net.node("Add", y, x, at="/add"), "head", (_CHANNELS, _CHANNELS), 3), _IMAGE


def _split_gate(net: Net) -> tuple[str, tuple[int, ...]]:
    """A gated MLP whose gate is half of one GEMM's columns, after a normalization and with a residual."""
    x = _rows(net)
    value, gate = net.split(dense(net, layer_norm(net, x, "norm", _WIDTH, 1e-5), "proj", _WIDTH, 8 * _WIDTH), 2,
                            4 * _WIDTH, "/mlp")  # fmt: skip
    y = dense(net, net.node("Mul", value, gelu(net, gate, "/gelu"), at="/mlp"), "down", 4 * _WIDTH, _WIDTH)
    return net.node("Add", y, x, at="/residual"), _ROWS


def _instance_norm(net: Net) -> tuple[str, tuple[int, ...]]:
    x = net.conv(_image(net), "conv1", (_CHANNELS, _CHANNELS), 3)
    scale, bias = net.weight("norm.weight", _CHANNELS, around=1.0), net.weight("norm.bias", _CHANNELS)
    y = net.node("InstanceNormalization", x, scale, bias, at="/norm", epsilon=1e-5)
    return net.conv(net.node("Relu", y, at="/act"), "conv2", (_CHANNELS, _CHANNELS), 3), _IMAGE


# --- convolutions


def _conv(
    net: Net, x: str, name: str, activation: str = "relu", into: int = _CHANNELS, out: int = _CHANNELS,
    kernel: int = 3, *, group: int = 1, padding: int | None = None,
) -> str:  # fmt: skip
    y = net.conv(x, name, (into, out), kernel, group=group, padding=padding)
    return _ACTIVATIONS[activation](net, y) if activation else y


def _conv_then(activation: str) -> Block:
    """Two convolutions, each with the activation."""
    return lambda net: (_conv(net, _conv(net, _image(net), "conv1", activation), "conv2", activation), _IMAGE)


def _batch_norm(net: Net) -> tuple[str, tuple[int, ...]]:
    x = _image(net)
    for name in ("block1", "block2"):
        y = net.conv(x, f"{name}.conv", (_CHANNELS, _CHANNELS), 3, has_bias=False)
        x = net.node("Relu", net.norm(y, f"{name}.norm", _CHANNELS), at="/act")
    return x, _IMAGE


def _residual(activation: str) -> Block:
    """x + convolutions(x), then the activation, as in ResNet."""

    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        x = _conv(net, _image(net), "stem", activation)
        y = _conv(net, _conv(net, x, "conv1", activation), "conv2", "")
        return _conv(net, _ACTIVATIONS[activation](net, net.node("Add", y, x, at="/add")), "head", ""), _IMAGE

    return block


def _activated_residual(net: Net) -> tuple[str, tuple[int, ...]]:
    """x + SiLU(convolution), as in YOLO's bottlenecks."""
    x = _conv(net, _image(net), "stem", "silu")
    y = _conv(net, _conv(net, x, "conv1", "silu"), "conv2", "silu")
    return _conv(net, net.node("Add", x, y, at="/add"), "head", "silu"), _IMAGE


def _depthwise(net: Net) -> tuple[str, tuple[int, ...]]:
    """Expansion, depthwise convolution, projection and shortcut, as in MobileNet."""
    x, wide = _image(net), 4 * _CHANNELS
    y = _conv(net, x, "expand", "relu6", _CHANNELS, wide, 1)
    y = _conv(net, y, "depthwise", "relu6", wide, wide, group=wide)
    return net.node("Add", x, _conv(net, y, "project", "", wide, _CHANNELS, 1), at="/add"), _IMAGE


def _squeeze_excite(net: Net) -> tuple[str, tuple[int, ...]]:
    y = _conv(net, _image(net), "depthwise", "silu", group=_CHANNELS)
    gate = net.node("GlobalAveragePool", y, at="/se")
    gate = _conv(net, gate, "se.reduce", "silu", _CHANNELS, 16, 1)
    gate = _conv(net, gate, "se.expand", "sigmoid", 16, _CHANNELS, 1)
    return _conv(net, net.node("Mul", y, gate, at="/se"), "project", "", kernel=1), _IMAGE


def _grouped_convolution(net: Net) -> tuple[str, tuple[int, ...]]:
    y = _conv(net, _conv(net, _image(net), "conv1", kernel=1), "conv2", group=8)
    return _conv(net, y, "conv3", "", kernel=1), _IMAGE


def _dense_connection(net: Net) -> tuple[str, tuple[int, ...]]:
    x = _conv(net, _image(net), "stem")
    y = net.node("Concat", x, _conv(net, x, "conv1"), at="/concat", axis=1)
    y = net.node("Concat", y, _conv(net, y, "conv2", into=2 * _CHANNELS), at="/concat", axis=1)
    return _conv(net, y, "conv3", into=3 * _CHANNELS, kernel=1), _IMAGE


def _inception(net: Net) -> tuple[str, tuple[int, ...]]:
    x = _image(net)
    branches = [_conv(net, x, "one", kernel=1), _conv(net, _conv(net, x, "three.reduce", kernel=1), "three")]
    branches.append(_conv(net, _conv(net, x, "five.reduce", kernel=1), "five", kernel=5))
    branches.append(_conv(net, net.max_pool(x, "/pool", 3, 1, 1), "pool.project", kernel=1))
    y = net.node("Concat", *branches, at="/concat", axis=1)
    return _conv(net, y, "head", into=4 * _CHANNELS, kernel=1), _IMAGE


def _split_branches(net: Net) -> tuple[str, tuple[int, ...]]:
    """Half of the channels through a bottleneck, all halves joined, as in YOLO's C2f."""
    half = _CHANNELS // 2
    y = _conv(net, _image(net), "cv1", "silu", kernel=1)
    axes, ends = net.constant([1], (1,)), [net.constant([number], (1,)) for number in (0, half, _CHANNELS)]
    first, second = (net.node("Slice", y, *ends[index : index + 2], axes, at="/split") for index in (0, 1))
    z = _conv(net, _conv(net, second, "m.cv1", "silu", half, half), "m.cv2", "silu", half, half)
    parts = (first, second, net.node("Add", second, z, at="/m"))
    return _conv(net, net.node("Concat", *parts, at="/concat", axis=1), "cv2", "silu", 3 * half, kernel=1), _IMAGE


def _pyramid_pooling(net: Net) -> tuple[str, tuple[int, ...]]:
    """Max poolings in a row, joined, as in YOLO's SPPF."""
    parts = [_conv(net, _image(net), "cv1", "silu", kernel=1)]
    for _ in range(3):
        parts.append(net.max_pool(parts[-1], "/pool", 5, 1, 2))
    return _conv(net, net.node("Concat", *parts, at="/concat", axis=1), "cv2", "silu", 4 * _CHANNELS, kernel=1), _IMAGE


def _resized(mode: str) -> Block:
    """A coarse map enlarged and joined with a fine one, as in feature pyramids and U-Nets."""

    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        coarse = _conv(net, _image(net, "coarse", extent=_EXTENT // 2), "lateral")
        scales = net.stored_constant("scales", [1.0, 1.0, 2.0, 2.0], (4,), FLOAT)
        how = {"mode": mode, "coordinate_transformation_mode": "asymmetric" if mode == "nearest" else "half_pixel"}
        how |= {"nearest_mode": "floor"} if mode == "nearest" else {}
        wide = net.node("Resize", coarse, "", scales, at="/resize", **how)
        y = net.node("Concat", wide, _image(net, "fine"), at="/concat", axis=1)
        return _conv(net, y, "head", into=2 * _CHANNELS), _IMAGE

    return block


def _transposed(net: Net) -> tuple[str, tuple[int, ...]]:
    coarse = _conv(net, _image(net, "coarse", extent=_EXTENT // 2), "conv")
    weight, bias = net.weight("up.weight", _CHANNELS, _CHANNELS, 2, 2), net.weight("up.bias", _CHANNELS)
    wide = net.node("ConvTranspose", coarse, weight, bias, at="/up", kernel_shape=[2, 2], strides=[2, 2])
    y = net.node("Concat", net.node("Relu", wide, at="/up"), _image(net, "fine"), at="/concat", axis=1)
    return _conv(net, y, "head", into=2 * _CHANNELS), _IMAGE


def _pixel_shuffle(net: Net) -> tuple[str, tuple[int, ...]]:
    y = _conv(net, _image(net, extent=_EXTENT // 2), "conv", "relu", _CHANNELS, 4 * _CHANNELS)
    return _conv(net, net.node("DepthToSpace", y, at="/shuffle", blocksize=2, mode="CRD"), "head"), _IMAGE


def _padded(net: Net) -> tuple[str, tuple[int, ...]]:
    pads = net.constant([0, 0, 1, 1, 0, 0, 1, 1], (8,))
    y = net.node("Pad", _image(net), pads, at="/pad", mode="constant")
    return _conv(net, _conv(net, y, "conv1", padding=0), "conv2"), _IMAGE


def _pooled(net: Net) -> tuple[str, tuple[int, ...]]:
    """Max and average pooling between convolutions, then a classifier."""
    y = net.max_pool(_conv(net, _image(net), "conv1"), "/pool", 2, 2)
    y = net.node("AveragePool", _conv(net, y, "conv2"), at="/pool", kernel_shape=[2, 2], strides=[2, 2])
    y = net.node("Flatten", net.node("GlobalAveragePool", _conv(net, y, "conv3"), at="/pool"), at="/pool", axis=1)
    return net.linear(y, "fc", (_CHANNELS, 10)), (1, 10)


def _channel_shuffle(net: Net) -> tuple[str, tuple[int, ...]]:
    half, at = _CHANNELS // 2, "/shuffle"
    y = net.node(
        "Reshape", _conv(net, _image(net), "conv1", kernel=1), net.constant([1, 2, half, _EXTENT, _EXTENT], (5,)), at=at
    )
    y = net.node("Transpose", y, at=at, perm=[0, 2, 1, 3, 4])
    y = net.node("Reshape", y, net.constant(_IMAGE, (4,)), at=at)
    return _conv(net, y, "depthwise", "", group=_CHANNELS), _IMAGE


def _patches(net: Net) -> tuple[str, tuple[int, ...]]:
    """An image as rows: a convolution with its kernel as stride, a position added, a normalization."""
    image = net.input("x", (1, 3, 224, 224))
    y = net.conv(image, "patch", (3, _WIDTH), 16, stride=16, padding=0)
    y = net.node(
        "Transpose",
        net.node("Reshape", y, net.constant([1, _WIDTH, 196], (3,)), at="/patch"),
        at="/patch",
        perm=[0, 2, 1],
    )
    y = net.node("Add", y, net.weight("position", 1, 196, _WIDTH), at="/patch")
    return dense(net, layer_norm(net, y, "norm", _WIDTH, 1e-5), "fc", _WIDTH, _WIDTH), (1, 196, _WIDTH)


# --- elementwise operations, control flow


def _pointwise_chain(net: Net) -> tuple[str, tuple[int, ...]]:
    x, other, at = _rows(net), _rows(net, "other"), "/chain"
    y = net.node("Mul", net.node("Add", x, other, at=at), _scalar(net, 0.5), at=at)
    y = net.node("Sub", net.node("Exp", net.node("Neg", y, at=at), at=at), x, at=at)
    return net.node("Sqrt", net.node("Abs", y, at=at), at=at), _ROWS


def _softmax(net: Net) -> tuple[str, tuple[int, ...]]:
    y = net.node("Mul", _rows(net), _scalar(net, 0.125), at="/scale")
    return net.node("Softmax", y, at="/softmax", axis=-1), _ROWS


def _embedding(net: Net) -> tuple[str, tuple[int, ...]]:
    ids = net.input("ids", (1, _TOKENS), INT64)
    y = net.node("Gather", net.weight("tokens", 1000, _WIDTH), ids, at="/tokens", axis=0)
    y = net.node("Add", y, net.weight("positions", 1, _TOKENS, _WIDTH), at="/embedding")
    return dense(net, layer_norm(net, y, "norm", _WIDTH, 1e-5), "fc", _WIDTH, _WIDTH), _ROWS


def _branch(net: Net) -> tuple[str, tuple[int, ...]]:
    """A condition that is an input chooses one of two linear layers."""
    from onnx import TensorProto

    x, condition = _rows(net), net.input("condition", (), TensorProto.BOOL)
    weights = [net.weight(f"{name}.weight", _WIDTH, _WIDTH) for name in ("then", "else")]
    bodies = [_body(net, name, [("MatMul", (x, weight), "product"), ("Relu", ("product",), "y")])
              for name, weight in zip(("then", "else"), weights, strict=True)]  # fmt: skip
    return net.node("If", condition, at="/if", then_branch=bodies[0], else_branch=bodies[1]), _ROWS


def _body(net: Net, name: str, nodes: Sequence[tuple[str, tuple[str, ...], str]]) -> onnx.GraphProto:
    from onnx import helper

    operators = [
        helper.make_node(kind, list(reads), [f"{name}_{out}"], f"/{name}/{kind}") for kind, reads, out in nodes
    ]
    for operator in operators:
        operator.input[:] = [
            f"{name}_{read}" if read in {out for _, _, out in nodes} else read for read in operator.input
        ]
    return helper.make_graph(
        operators, name, [], [helper.make_tensor_value_info(operators[-1].output[0], net.type, _ROWS)]
    )


def _recurrent(kind: str, gates: int) -> Block:
    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        x, hidden = net.input("x", (16, 1, 64)), 64
        parameters = [net.weight(f"rnn.{name}", 1, gates * hidden, 64) for name in ("weight", "recurrence")]
        y = net.node(kind, x, *parameters, net.weight("rnn.bias", 1, 2 * gates * hidden), at="/rnn", hidden_size=hidden)
        return net.node("Squeeze", y, net.constant([1], (1,)), at="/rnn"), (16, 1, 64)

    return block


_FAMILIES: Mapping[str, Mapping[str, Block]] = {
    "attention": {
        "attention": _self_attention(mask=False),
        "attention-mask": _self_attention(mask=True),
        "attention-causal": _causal_attention,
        "attention-cross": _cross_attention,
        "attention-grouped": _grouped_attention(2),
        "attention-multi-query": _grouped_attention(1),
        "attention-packed": _packed_attention,
        "attention-rotary": _rotary_attention,
        "attention-selected": _selected_attention,
    },
    "transformer layers": {
        "encoder-layer": _encoder_layer,
        "decoder-layer": _decoder_layer,
        "embedding": _embedding,
        "patches": _patches,
        "mlp-relu": _mlp("relu"),
        "mlp-silu": _mlp("silu"),
        "mlp-gelu": _mlp("gelu"),
        "mlp-gelu-tanh": _mlp("gelu-tanh"),
        "mlp-geglu": _split_gate,
        "diffusion-attention": _image_attention,
        "mlp-gated": lambda net: (_gated_mlp(net, _rows(net)), _ROWS),
        "classifier": _classifier,
    },
    "normalizations": {
        **{f"{name}": _normed(name) for name in _NORMS},
        "group-norm": _group_norm,
        "time-residual": _time_residual,
        "instance-norm": _instance_norm,
        "batch-norm": _batch_norm,
    },
    "convolutions": {
        **{f"conv-{name}": _conv_then(name) for name in _ACTIVATIONS},
        "residual-relu": _residual("relu"),
        "residual-silu": _residual("silu"),
        "residual-activated": _activated_residual,
        "depthwise": _depthwise,
        "squeeze-excite": _squeeze_excite,
        "grouped-convolution": _grouped_convolution,
        "transposed-convolution": _transposed,
        "padded-convolution": _padded,
        "pooled": _pooled,
    },
    "joins and moves": {
        "dense-connection": _dense_connection,
        "inception": _inception,
        "split-branches": _split_branches,
        "pyramid-pooling": _pyramid_pooling,
        "resize-nearest": _resized("nearest"),
        "resize-linear": _resized("linear"),
        "pixel-shuffle": _pixel_shuffle,
        "channel-shuffle": _channel_shuffle,
    },
    "elementwise and control flow": {
        "pointwise-chain": _pointwise_chain,
        "softmax": _softmax,
        "branch": _branch,
        "lstm": _recurrent("LSTM", 4),
        "gru": _recurrent("GRU", 3),
    },
}
_QUANTIZED = frozenset(
    {
        "attention-mask", "encoder-layer", "mlp-gelu", "mlp-relu", "classifier", "conv-relu", "conv-silu",
        "residual-relu", "depthwise", "dense-connection", "inception", "split-branches", "transposed-convolution",
        "squeeze-excite",
    }
)  # fmt: skip
