"""Attention as one operator: softmax(Q · Kᵀ) · V for every head.

Formula: macs = batch · heads · scores · (d + dᵥ), where scores = queries · keys, d is the head size of queries and dᵥ
that of values. If the operator applies a causal mask, query i (from 0) has only min(keys, past + i + 1) keys. Other
operations per score: six (scaling, and the softmax's maximum, subtraction, exponential, sum and division), one more if
a mask is added.

Source: ONNX operator specification, Attention (23); Vaswani et al., "Attention Is All You Need".

Does not hold for: kernels that also compute masked scores.
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


def _scores(queries: int, keys: int, past: int, is_causal: bool) -> int:
    """Scores of one head; causal: Σ over queries i of min(keys, past + i + 1)."""
    if not is_causal:
        return queries * keys
    growing = max(0, min(queries, keys - past))
    return growing * past + growing * (growing + 1) // 2 + (queries - growing) * keys


OPERATORS = {"Attention": _attention}
