"""Attention in one operator: softmax(Q · Kᵀ) · V for every head, with the projections where the operator holds them.

Formula: macs = batch · heads · scores · (d + dᵥ), where scores = queries · keys, d is the size of a query's head and dᵥ
of a value's. Where the operator itself masks the future, the i-th query (from 0) meets only min(keys, past + i + 1)
keys. Other operations per score: six (scaling, and maximum, subtraction, exponential, sum and division of the softmax),
one more where a mask is added. com.microsoft's Attention also projects its input: tokens · input size · (columns of the
weights) multiply-adds and one addition per result.

Source: ONNX operator specification, Attention (23); ONNX Runtime's contributed operators, Attention and
MultiHeadAttention; Vaswani et al., "Attention Is All You Need".

Does not hold for: kernels that compute masked scores too; sequences packed without padding.
"""

from __future__ import annotations

from trex.perf.work.operand import Count, Operands, Terms

FORMULA = "macs = batch·heads·scores·(d + dᵥ), scores = queries·keys, those masked by the operator left out"
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
    is_causal = operands.integer("is_causal", 0) == 1
    return _counted(batch, heads, queries, keys + past, size, value_size, past, is_causal, operands.has(3))


def _multi_head(operands: Operands) -> Count:
    query = operands.shape(0)
    heads = operands.integer("num_heads", 0)
    if len(query) != 3 or not operands.has(1) or not operands.has(2):
        raise ValueError("packed operands")
    key, value = operands.shape(1), operands.shape(2)
    keys = key[2] if len(key) == 4 else key[1]
    value_size = value[3] if len(value) == 4 else value[2] // heads
    past = operands.shape(6)[2] if operands.has(6) else 0
    has_mask = operands.has(4) or operands.has(5)
    is_causal = operands.integer("unidirectional", 0) == 1
    counted = _counted(query[0], heads, query[1], keys + past, query[2] // heads, value_size, past, is_causal, has_mask)
    bias = query[0] * (query[1] * query[2] + (keys * (query[2] + value_size * heads) if len(key) == 3 else 0))
    if not operands.has(3):
        return counted
    return Count(counted.macs, (counted.other_ops or 0) + bias, FORMULA, counted.terms)


def _with_projection(operands: Operands) -> Count:
    source, weights = operands.shape(0), operands.shape(1)
    heads = operands.integer("num_heads", 0)
    sizes = operands.integers("qkv_hidden_sizes") or (weights[1] // 3,) * 3
    batch, queries, hidden = source
    past = operands.shape(4)[3] if operands.has(4) else 0
    is_causal = operands.integer("unidirectional", 0) == 1
    counted = _counted(
        batch, heads, queries, queries + past, sizes[0] // heads, sizes[2] // heads, past, is_causal, operands.has(3)
    )
    projected = batch * queries * weights[1]
    macs = (counted.macs or 0) + projected * hidden
    other = (counted.other_ops or 0) + (projected if operands.has(2) else 0)
    return Count(macs, other, f"{FORMULA}; projections = tokens·input·columns", counted.terms)


def _counted(
    batch: int,
    heads: int,
    queries: int,
    keys: int,
    size: int,
    value_size: int,
    past: int,
    is_causal: bool,
    has_mask: bool,
) -> Count:
    scores = _seen(queries, keys, past) if is_causal else queries * keys
    total = batch * heads * scores
    terms: Terms = (
        ("batch", batch),
        ("heads", heads),
        ("queries", queries),
        ("keys", keys),
        ("scores", scores),
    )
    terms += (("d", size), ("dᵥ", value_size))
    return Count(total * (size + value_size), total * (_PER_SCORE + has_mask), FORMULA, terms)


def _seen(queries: int, keys: int, past: int) -> int:
    """Σ over queries i of min(keys, past + i + 1)."""
    growing = max(0, min(queries, keys - past))
    return growing * past + growing * (growing + 1) // 2 + (queries - growing) * keys


OPERATORS = {
    "Attention": _attention,
    "com.microsoft::Attention": _with_projection,
    "com.microsoft::MultiHeadAttention": _multi_head,
}
