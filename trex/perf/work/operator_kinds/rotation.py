"""Rotary embedding: pairs of a head's values rotated by an angle that depends on their position.

Formula: no MACs. Other operations = rotated values · 3: a pair needs four multiplications, a sum and a difference.

Source: ONNX operator specification, RotaryEmbedding (23); Su et al., "RoFormer: Enhanced Transformer with Rotary
Position Embedding".

Does not hold for: the values that rotary_embedding_dim excludes, if the head size is unknown.
"""

from __future__ import annotations

from trex.perf.work.operand import Count, Formula, Operands


def _rotated(operands: Operands) -> Count:
    shape, values = operands.shape(), operands.count()
    part = operands.integer("rotary_embedding_dim", 0)
    heads = operands.integer("num_heads", 0)
    size = shape[-1] if len(shape) == 4 else shape[-1] // heads if heads else 0
    if part and size:
        values = values * part // size
    return Count(0, values * 3)


OPERATORS: dict[str, Formula] = {"RotaryEmbedding": _rotated, "com.microsoft::RotaryEmbedding": _rotated}
