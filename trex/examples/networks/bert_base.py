"""BERT-base: twelve transformer layers for 128 tokens, as PyTorch exports the encoder and its pooler.

Source: Devlin et al. 2018: width 768, 12 heads, 3072 inside the feed-forward layers, 30522 tokens. 11.2 GMACs for one
sentence, 109.5 M parameters. As Hugging Face's implementation is exported: linear layers as MatMul and Add, GELU with
Erf, one LayerNormalization operator (opset 17); shapes of Reshape are constants that keep a symbolic batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trex.core.errors import TrexError
from trex.examples.blocks import attention, dense, gelu, layer_norm, list_path
from trex.examples.net import FLOAT, HALF, INT64, Net
from trex.examples.network import Network, NetworkOptions
from trex.examples.quantize import quantize

if TYPE_CHECKING:
    import onnx

_TOKENS, _POSITIONS, _KINDS = 30522, 512, 2
_LENGTH = 128
_EPSILON = 1e-12
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@dataclass(frozen=True)
class BertSize:
    """width: of a token's vector. between: inside the feed-forward layers."""

    name: str
    width: int
    heads: int
    between: int
    layers: int


def bert(size: BertSize, options: NetworkOptions) -> onnx.ModelProto:
    """Raises TrexError for more tokens than positions."""
    length = options.length or _LENGTH
    if length > _POSITIONS:
        raise TrexError(f"BERT has {_POSITIONS} positions, not {length:,}", f"give a length of at most {_POSITIONS}")
    net = Net(size.name, weights=options.weights, type=HALF if options.variant == "fp16" else FLOAT)
    ids, mask, kinds = (net.input(name, (options.batch, length), INT64) for name in _INPUTS)
    hidden, added = _embedded(net, ids, kinds, size.width, length), _mask(net, mask)
    for layer in range(size.layers):
        hidden = _layer(net, hidden, added, f"encoder.layer.{layer}", size)
    net.output("last_hidden_state", hidden, (options.batch, length, size.width))
    first = net.node("Gather", "last_hidden_state", net.constant([0], (), "/pooler"), at="/pooler", axis=1)
    pooled = net.linear(first, "pooler.dense", (size.width, size.width))
    net.output("pooler_output", net.node("Tanh", pooled, at="/pooler/activation"), (options.batch, size.width))
    model = net.model(opset=17, ir_version=8)
    return quantize(model) if options.variant == "qat" else model


def _embedded(net: Net, ids: str, kinds: str, width: int, length: int) -> str:
    at = "embeddings"
    tables = {"word_embeddings": _TOKENS, "token_type_embeddings": _KINDS, "position_embeddings": _POSITIONS}
    positions = net.stored_constant(f"{at}.position_ids", range(length), (1, length))
    rows = {
        name: net.node("Gather", net.weight(f"{at}.{name}.weight", count, width), which, at=f"/{at}/{name}", axis=0)
        for (name, count), which in zip(tables.items(), (ids, kinds, positions))
    }
    x = net.node("Add", rows["word_embeddings"], rows["token_type_embeddings"], at=f"/{at}")
    x = net.node("Add", x, rows["position_embeddings"], at=f"/{at}")
    return layer_norm(net, x, f"{at}.LayerNorm", width, _EPSILON)


def _mask(net: Net, mask: str) -> str:
    """0 for a token, a large negative number for padding: (batch, 1, 1, length)."""
    wide = net.node("Unsqueeze", mask, net.constant([1], (1,)))
    wide = net.node("Cast", net.node("Unsqueeze", wide, net.constant([2], (1,))), to=net.type)
    without = net.node("Sub", net.constant([1.0], (), type=net.type), wide)
    return net.node("Mul", without, net.constant([-65504.0 if net.type == HALF else -3.4028235e38], (), type=net.type))


def _layer(net: Net, x: str, mask: str, at: str, size: BertSize) -> str:
    width, between = size.width, size.between
    self_at = f"{at}.attention.self"
    rows = [dense(net, x, f"{self_at}.{name}", width, width) for name in ("query", "key", "value")]
    y = attention(net, rows, list_path(self_at), size.heads, width, mask)
    y = dense(net, y, f"{at}.attention.output.dense", width, width)
    y = net.node("Add", y, x, at=list_path(f"{at}.attention.output"))
    y = layer_norm(net, y, f"{at}.attention.output.LayerNorm", width, _EPSILON)
    wide = dense(net, y, f"{at}.intermediate.dense", width, between)
    wide = gelu(net, wide, list_path(f"{at}.intermediate.intermediate_act_fn"))
    z = net.node("Add", dense(net, wide, f"{at}.output.dense", between, width), y, at=list_path(f"{at}.output"))
    return layer_norm(net, z, f"{at}.output.LayerNorm", width, _EPSILON)


_BASE = BertSize("bert-base", 768, 12, 3072, 12)
NETWORK = Network(
    partial(bert, _BASE),
    {
        "": "BERT-base's encoder and pooler in FP32, 128 tokens",
        "fp16": "BERT-base with FP16 tensors, for strongly typed builds",
        "qat": "BERT-base with Q/DQ at inputs and weights of all linear layers",
    },
    has_names=False,
    has_length=True,
)
