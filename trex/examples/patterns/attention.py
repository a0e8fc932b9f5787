"""Blocks of attention: masks, fewer heads of key and value, rotary positions, packed products."""

from __future__ import annotations

from collections.abc import Mapping

from trex.examples.blocks import attention, dense
from trex.examples.net import Net
from trex.examples.patterns.parts import (
    HEADS,
    ROWS,
    SIZE,
    TOKENS,
    WIDTH,
    Block,
    heads_attention,
    projected_rows,
    rows_input,
    scalar,
)


def _self_attention(mask: bool) -> Block:
    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        x = rows_input(net)
        masked = net.input("mask", (1, 1, 1, TOKENS)) if mask else ""
        y = attention(net, projected_rows(net, x), "/attention", HEADS, WIDTH, masked)
        return dense(net, y, "output", WIDTH, WIDTH), ROWS

    return block


def _cross_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    x, text = rows_input(net), rows_input(net, "text", 77)
    return dense(
        net, attention(net, projected_rows(net, x, text), "/attention", HEADS, WIDTH), "output", WIDTH, WIDTH
    ), ROWS


def _causal_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    """The mask is a stored triangle; the query is scaled before the product, as in decoders."""
    x = rows_input(net)
    low = -60000.0
    triangle = [0.0 if column <= row else low for row in range(TOKENS) for column in range(TOKENS)]
    mask = net.stored_constant("triangle", triangle, (1, 1, TOKENS, TOKENS), net.type)
    return dense(net, heads_attention(net, projected_rows(net, x), HEADS, mask), "output", WIDTH, WIDTH), ROWS


def _grouped_attention(key_heads: int) -> Block:
    """Fewer heads of key and value than of the query, repeated by Expand: one is multi-query attention."""

    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        x, narrow = rows_input(net), key_heads * SIZE
        rows = [dense(net, x, "query", WIDTH, WIDTH, has_bias=False)]
        rows += [dense(net, x, name, WIDTH, narrow, has_bias=False) for name in ("key", "value")]
        return dense(net, heads_attention(net, rows, key_heads), "output", WIDTH, WIDTH, has_bias=False), ROWS

    return block


def _rotary_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    x = rows_input(net)
    rows = [dense(net, x, name, WIDTH, WIDTH, has_bias=False) for name in ("query", "key", "value")]
    return dense(net, heads_attention(net, rows, HEADS, rotary=True), "output", WIDTH, WIDTH, has_bias=False), ROWS


def _packed_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    """Query, key and value of one product, as in vision transformers."""
    packed = dense(net, rows_input(net), "qkv", WIDTH, 3 * WIDTH)
    rows = net.split(packed, 3, WIDTH, "/attention")
    return dense(net, attention(net, rows, "/attention", HEADS, WIDTH), "output", WIDTH, WIDTH), ROWS


def _selected_attention(net: Net) -> tuple[str, tuple[int, ...]]:
    """The mask selects scores by Where."""
    x, at = rows_input(net), "/attention"
    query, key, value = (net.input(name, (1, HEADS, TOKENS, SIZE)) for name in ("query", "key", "value"))
    keep = net.node("Greater", net.input("keep", (1, 1, 1, TOKENS)), scalar(net, 0.0), at=at)
    scores = net.node("MatMul", query, net.node("Transpose", key, at=at, perm=[0, 1, 3, 2]), at=at)
    scores = net.node("Where", keep, net.node("Mul", scores, scalar(net, 0.125), at=at), scalar(net, -60000.0), at=at)
    y = net.node("MatMul", net.node("Softmax", scores, at=at, axis=-1), value, at=at)
    y = net.node("Transpose", y, at=at, perm=[0, 2, 1, 3])
    y = net.node("Reshape", y, net.constant([1, TOKENS, WIDTH], (3,), at), at=at)
    return net.node("Add", x, dense(net, y, "output", WIDTH, WIDTH), at=at), ROWS


BLOCKS: Mapping[str, Block] = {
    "attention": _self_attention(mask=False),
    "attention-mask": _self_attention(mask=True),
    "attention-causal": _causal_attention,
    "attention-cross": _cross_attention,
    "attention-grouped": _grouped_attention(2),
    "attention-multi-query": _grouped_attention(1),
    "attention-packed": _packed_attention,
    "attention-rotary": _rotary_attention,
    "attention-selected": _selected_attention,
}
