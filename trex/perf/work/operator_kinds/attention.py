"""Attention as one operator: softmax(Q · Kᵀ) · V for every head, with the projections if the operator holds them.

Formula: macs = batch · heads · scores · (d + dᵥ), where scores = queries · keys, d is the head size of queries and dᵥ
that of values. If the operator applies a causal mask, query i (from 0) has only min(keys, past + i + 1) keys. Other
operations per score: six (scaling, and the softmax's maximum, subtraction, exponential, sum and division), one more if
a mask is added. com.microsoft's Attention also projects its input: tokens · input size · (columns of the weights) MACs
and one addition per result.

Source: ONNX operator specification, Attention (23); ONNX Runtime's contributed operators, Attention and
MultiHeadAttention; Vaswani et al., "Attention Is All You Need".

Does not hold for: kernels that also compute masked scores; sequences packed without padding.
"""

from __future__ import annotations

from trex.perf.work.operand import Count, Operands

_PER_SCORE = 6


def _attention(operands: Operands) -> Count:
    query, key, value = operands.shape(0), operands.shape(1), operands.shape(2)
    if len(query) == 4:
        batch, heads, queries, size = query
        keys, value_size = key[2], value[3]
    elif len(query) == 3:
        heads = operands.integer("q_num_heads", 0)
        value_heads = operands.integer("kv_num_heads", heads)
        batch, queries, size = query[0], query[1], query[2] // heads
        keys, value_size = key[1], value[2] // value_heads
    else:
        raise ValueError("neither 3 nor 4 dimensions")
    past = operands.shape(4)[2] if operands.has(4) else 0
    scores = batch * heads * _scores(queries, keys + past, past, operands.integer("is_causal", 0) == 1)
    return Count(scores * (size + value_size), scores * (_PER_SCORE + operands.has(3)))


def _multi_head(operands: Operands) -> Count:
    query = operands.shape(0)
    heads = operands.integer("num_heads", 0)
    if len(query) != 3 or not operands.has(1) or not operands.has(2):
        raise ValueError("packed operands")
    key, value = operands.shape(1), operands.shape(2)
    keys = key[2] if len(key) == 4 else key[1]
    value_size = value[3] if len(value) == 4 else value[2] // heads
    past = operands.shape(6)[2] if operands.has(6) else 0
    is_causal = operands.integer("unidirectional", 0) == 1
    scores = query[0] * heads * _scores(query[1], keys + past, past, is_causal)
    bias = query[0] * (query[1] * query[2] + (keys * (query[2] + value_size * heads) if len(key) == 3 else 0))
    other = scores * (_PER_SCORE + (operands.has(4) or operands.has(5)))
    return Count(scores * (query[2] // heads + value_size), other + (bias if operands.has(3) else 0))


def _with_projection(operands: Operands) -> Count:
    source, weights = operands.shape(0), operands.shape(1)
    heads = operands.integer("num_heads", 0)
    sizes = operands.integers("qkv_hidden_sizes") or (weights[1] // 3,) * 3
    batch, queries, hidden = source
    past = operands.shape(4)[3] if operands.has(4) else 0
    is_causal = operands.integer("unidirectional", 0) == 1
    scores = batch * heads * _scores(queries, queries + past, past, is_causal)
    projected = batch * queries * weights[1]
    other = scores * (_PER_SCORE + operands.has(3)) + (projected if operands.has(2) else 0)
    return Count(scores * (sizes[0] // heads + sizes[2] // heads) + projected * hidden, other)


def _scores(queries: int, keys: int, past: int, is_causal: bool) -> int:
    """Scores of one head; causal: Σ over queries i of min(keys, past + i + 1)."""
    if not is_causal:
        return queries * keys
    growing = max(0, min(queries, keys - past))
    return growing * past + growing * (growing + 1) // 2 + (queries - growing) * keys


OPERATORS = {
    "Attention": _attention,
    "com.microsoft::Attention": _with_projection,
    "com.microsoft::MultiHeadAttention": _multi_head,
}
