"""Blocks of transformers: whole layers, MLPs, embeddings."""

from __future__ import annotations

from collections.abc import Mapping

from trex.examples.blocks import attention, dense, gelu, layer_norm
from trex.examples.net import INT64, Net
from trex.examples.patterns.parts import (
    ACTIVATIONS,
    CHANNELS,
    EXTENT,
    HEADS,
    IMAGE,
    ROWS,
    TOKENS,
    WIDTH,
    Block,
    group_norm,
    heads_attention,
    image_input,
    projected_rows,
    rms_norm,
    rows_input,
    silu,
)


def _encoder_layer(net: Net) -> tuple[str, tuple[int, ...]]:
    """Norm before attention and MLP, as in vision transformers."""
    x = rows_input(net)
    y = attention(net, projected_rows(net, layer_norm(net, x, "norm1", WIDTH, 1e-6)), "/attention", HEADS, WIDTH)
    x = net.node("Add", dense(net, y, "output", WIDTH, WIDTH), x, at="/residual")
    y = gelu(net, dense(net, layer_norm(net, x, "norm2", WIDTH, 1e-6), "fc1", WIDTH, 4 * WIDTH), "/act")
    return net.node("Add", dense(net, y, "fc2", 4 * WIDTH, WIDTH), x, at="/residual"), ROWS


def _decoder_layer(net: Net) -> tuple[str, tuple[int, ...]]:
    """RMS norm, rotary grouped attention and gated SiLU, as in large language models."""
    x = rows_input(net)
    y = rms_norm(net, x, "norm1")
    rows = [dense(net, y, "query", WIDTH, WIDTH, has_bias=False)]
    rows += [dense(net, y, name, WIDTH, WIDTH // 2, has_bias=False) for name in ("key", "value")]
    y = dense(net, heads_attention(net, rows, HEADS // 2, rotary=True), "output", WIDTH, WIDTH, has_bias=False)
    x = net.node("Add", x, y, at="/residual")
    return net.node("Add", x, _gated_mlp(net, rms_norm(net, x, "norm2")), at="/residual"), ROWS


def _gated_mlp(net: Net, x: str) -> str:
    gate, up = (dense(net, x, name, WIDTH, 3 * WIDTH, has_bias=False) for name in ("gate", "up"))
    product = net.node("Mul", silu(net, gate), up, at="/mlp")
    return dense(net, product, "down", 3 * WIDTH, WIDTH, has_bias=False)


def _mlp(activation: str) -> Block:
    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        y = ACTIVATIONS[activation](net, dense(net, rows_input(net), "fc1", WIDTH, 4 * WIDTH))
        return dense(net, y, "fc2", 4 * WIDTH, WIDTH), ROWS

    return block


def _classifier(net: Net) -> tuple[str, tuple[int, ...]]:
    y = net.node("Relu", net.linear(net.input("x", (8, 512)), "fc1", (512, 256)), at="/act")
    return net.node("Softmax", net.linear(y, "fc2", (256, 10)), at="/softmax", axis=-1), (8, 10)


def _split_gate(net: Net) -> tuple[str, tuple[int, ...]]:
    """A gated MLP whose gate is half of one GEMM's columns, after a normalization and with a residual."""
    x = rows_input(net)
    value, gate = net.split(dense(net, layer_norm(net, x, "norm", WIDTH, 1e-5), "proj", WIDTH, 8 * WIDTH), 2,
                            4 * WIDTH, "/mlp")  # fmt: skip
    y = dense(net, net.node("Mul", value, gelu(net, gate, "/gelu"), at="/mlp"), "down", 4 * WIDTH, WIDTH)
    return net.node("Add", y, x, at="/residual"), ROWS


def _image_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    """Attention over the pixels of an image with a residual, as in diffusion models."""
    x = net.conv(image_input(net), "stem", (CHANNELS, CHANNELS), 3)
    y = net.conv(group_norm(net, x, "norm"), "proj_in", (CHANNELS, CHANNELS), 1)
    y = net.node("Reshape", y, net.constant([0, CHANNELS, EXTENT * EXTENT], (3,)), at="/tokens")
    tokens = net.node("Transpose", y, at="/tokens", perm=[0, 2, 1])
    normed = layer_norm(net, tokens, "norm1", CHANNELS, 1e-5)
    rows = [dense(net, normed, name, CHANNELS, CHANNELS, has_bias=False) for name in ("query", "key", "value")]
    y = dense(net, attention(net, rows, "/attention", 2, CHANNELS), "output", CHANNELS, CHANNELS)
    y = net.node("Transpose", net.node("Add", y, tokens, at="/tokens"), at="/tokens", perm=[0, 2, 1])
    y = net.node("Reshape", y, net.constant(IMAGE, (4,)), at="/tokens")
    y = net.conv(y, "proj_out", (CHANNELS, CHANNELS), 1)
    return net.conv(net.node("Add", y, x, at="/add"), "head", (CHANNELS, CHANNELS), 3), IMAGE


def _embedding(net: Net) -> tuple[str, tuple[int, ...]]:
    ids = net.input("ids", (1, TOKENS), INT64)
    y = net.node("Gather", net.weight("tokens", 1000, WIDTH), ids, at="/tokens", axis=0)
    y = net.node("Add", y, net.weight("positions", 1, TOKENS, WIDTH), at="/embedding")
    return dense(net, layer_norm(net, y, "norm", WIDTH, 1e-5), "fc", WIDTH, WIDTH), ROWS


def _patches(net: Net) -> tuple[str, tuple[int, ...]]:
    """An image as rows: a convolution with its kernel as stride, a position added, a normalization."""
    image = net.input("x", (1, 3, 224, 224))
    y = net.conv(image, "patch", (3, WIDTH), 16, stride=16, padding=0)
    y = net.node(
        "Transpose",
        net.node("Reshape", y, net.constant([1, WIDTH, 196], (3,)), at="/patch"),
        at="/patch",
        perm=[0, 2, 1],
    )
    y = net.node("Add", y, net.weight("position", 1, 196, WIDTH), at="/patch")
    return dense(net, layer_norm(net, y, "norm", WIDTH, 1e-5), "fc", WIDTH, WIDTH), (1, 196, WIDTH)


BLOCKS: Mapping[str, Block] = {
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
    "mlp-gated": lambda net: (_gated_mlp(net, rows_input(net)), ROWS),
    "classifier": _classifier,
}
