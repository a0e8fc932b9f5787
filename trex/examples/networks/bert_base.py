"""BERT-base: twelve transformer layers for 128 tokens, as PyTorch exports the encoder and its pooler.

Source: Devlin et al. 2018: width 768, 12 heads, 3072 inside the feed-forward layers, 30522 tokens. 11.2 GMACs for one
sentence, 109.5 M parameters. As Hugging Face's implementation is exported: linear layers as MatMul and Add, GELU with
Erf, one LayerNormalization operator (opset 17); shapes of Reshape are constants that keep a symbolic batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from trex.examples.net import FLOAT, HALF, INT64, Net
from trex.examples.network import Network, NetworkOptions
from trex.examples.quantize import quantize

if TYPE_CHECKING:
    import onnx

_WIDTH, _HEADS, _BETWEEN, _LAYERS = 768, 12, 3072, 12
_TOKENS, _POSITIONS, _KINDS = 30522, 512, 2
_LENGTH = 128
_EPSILON = 1e-12
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def _make(options: NetworkOptions) -> onnx.ModelProto:
    net = Net("bert-base", weights=options.weights, type=HALF if options.variant == "fp16" else FLOAT)
    ids, mask, kinds = (net.input(name, (options.batch, _LENGTH), INT64) for name in _INPUTS)
    hidden, added = _embedded(net, ids, kinds), _mask(net, mask)
    for layer in range(_LAYERS):
        hidden = _layer(net, hidden, added, f"encoder.layer.{layer}")
    net.output("last_hidden_state", hidden, (options.batch, _LENGTH, _WIDTH))
    first = net.node("Gather", "last_hidden_state", net.constant([0], (), "/pooler"), at="/pooler", axis=1)
    pooled = net.linear(first, "pooler.dense", (_WIDTH, _WIDTH))
    net.output("pooler_output", net.node("Tanh", pooled, at="/pooler/activation"), (options.batch, _WIDTH))
    model = net.model(opset=17, ir_version=8)
    return quantize(model) if options.variant == "qat" else model


def _embedded(net: Net, ids: str, kinds: str) -> str:
    at = "embeddings"
    tables = {"word_embeddings": _TOKENS, "token_type_embeddings": _KINDS, "position_embeddings": _POSITIONS}
    positions = net.stored_constant(f"{at}.position_ids", range(_LENGTH), (1, _LENGTH))
    rows = {
        name: net.node("Gather", net.weight(f"{at}.{name}.weight", count, _WIDTH), which, at=f"/{at}/{name}", axis=0)
        for (name, count), which in zip(tables.items(), (ids, kinds, positions))
    }
    x = net.node("Add", rows["word_embeddings"], rows["token_type_embeddings"], at=f"/{at}")
    x = net.node("Add", x, rows["position_embeddings"], at=f"/{at}")
    return _layer_norm(net, x, f"{at}.LayerNorm")


def _mask(net: Net, mask: str) -> str:
    """0 for a token, a large negative number for padding: (batch, 1, 1, length)."""
    wide = net.node("Unsqueeze", mask, net.constant([1], (1,)))
    wide = net.node("Cast", net.node("Unsqueeze", wide, net.constant([2], (1,))), to=net.type)
    without = net.node("Sub", net.constant([1.0], (), type=net.type), wide)
    return net.node("Mul", without, net.constant([-65504.0 if net.type == HALF else -3.4028235e38], (), type=net.type))


def _layer(net: Net, x: str, mask: str, at: str) -> str:
    self_at = f"{at}.attention.self"
    rows = [_dense(net, x, f"{self_at}.{name}", _WIDTH, _WIDTH) for name in ("query", "key", "value")]
    y = _attention(net, rows, _path(self_at), mask)
    y = _dense(net, y, f"{at}.attention.output.dense", _WIDTH, _WIDTH)
    y = net.node("Add", y, x, at=_path(f"{at}.attention.output"))
    y = _layer_norm(net, y, f"{at}.attention.output.LayerNorm")
    wide = _dense(net, y, f"{at}.intermediate.dense", _WIDTH, _BETWEEN)
    wide = _gelu(net, wide, _path(f"{at}.intermediate.intermediate_act_fn"))
    z = net.node("Add", _dense(net, wide, f"{at}.output.dense", _BETWEEN, _WIDTH), y, at=_path(f"{at}.output"))
    return _layer_norm(net, z, f"{at}.output.LayerNorm")


def _path(module: str) -> str:
    """Path of a module inside lists that are no modules: ``encoder.layer.0.output`` → /encoder/layer.0/output."""
    parts: list[str] = []
    for part in module.split("."):
        parts[-1:] = [f"{parts[-1]}.{part}"] if part.isdigit() and parts else [*parts[-1:], part]
    return "".join(f"/{part}" for part in parts)


def _dense(net: Net, x: str, module: str, into: int, out: int) -> str:
    """A linear layer over the last of three dimensions, as MatMul and Add; the shape of its weights is (in, out)."""
    at = _path(module)
    product = net.node("MatMul", x, net.weight(f"{module}.weight", into, out), at=at)
    return net.node("Add", net.weight(f"{module}.bias", out), product, at=at)


def _attention(net: Net, rows: Sequence[str], at: str, mask: str) -> str:
    """Softmax(query · key / √size + mask) · value for every head. rows: query, key, value."""
    size = _WIDTH // _HEADS

    def split(row: str, order: tuple[int, ...]) -> str:
        y = net.node("Reshape", row, net.constant([0, 0, _HEADS, size], (4,), at), at=at)
        return net.node("Transpose", y, at=at, perm=order)

    query, key, value = map(split, rows, ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3)))
    scores = net.node("MatMul", query, key, at=at)
    scores = net.node("Div", scores, net.constant([sqrt(size)], (), at, net.type), at=at)
    scores = net.node("Add", scores, mask, at=at)
    shares = net.node("Softmax", scores, at=at, axis=-1)
    y = net.node("Transpose", net.node("MatMul", shares, value, at=at), at=at, perm=(0, 2, 1, 3))
    return net.node("Reshape", y, net.constant([0, 0, _WIDTH], (3,), at), at=at)


def _gelu(net: Net, x: str, at: str) -> str:
    """x · (1 + erf(x / √2)) / 2, as PyTorch exports it before opset 20."""
    root, one, half = (net.constant([number], (), at, net.type) for number in (sqrt(2), 1.0, 0.5))
    error = net.node("Erf", net.node("Div", x, root, at=at), at=at)
    return net.node("Mul", net.node("Mul", x, net.node("Add", error, one, at=at), at=at), half, at=at)


def _layer_norm(net: Net, x: str, module: str) -> str:
    scale, bias = net.weight(f"{module}.weight", _WIDTH, around=1.0), net.weight(f"{module}.bias", _WIDTH)
    return net.node("LayerNormalization", x, scale, bias, at=_path(module), axis=-1, epsilon=_EPSILON)


NETWORK = Network(
    _make,
    {
        "": "BERT-base's encoder and pooler in FP32, 128 tokens",
        "fp16": "BERT-base with FP16 tensors, for strongly typed builds",
        "qat": "BERT-base with Q/DQ at inputs and weights of all linear layers",
    },
    has_names=False,
)
