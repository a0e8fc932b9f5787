"""Attention: softmax(Q·Kᵀ)·V in one kernel (``_gemm_mha_v2`` and similar), from its operands' shapes.

Formula: macs = keys · (values of Q + values of the output), since Q·Kᵀ takes (queries · keys · width) MACs per head and
scores·V (queries · keys · width of V). Other operations: five per score for the softmax (maximum, subtraction,
exponential, sum, division), one more if an operand has the scores' size (a mask or bias). Bytes: Q, K, V, masks and the
output once; the scores never leave the chip.

Source: Vaswani et al., "Attention Is All You Need", equation 1; Dao et al., "FlashAttention", for what stays on chip.

Does not hold for: causal or sliding-window masks, whose skipped scores are counted; a fused scale. Operands are read as
(…, tokens, width); in four dimensions as (batch, heads, tokens, width) if there are at least as many tokens as heads,
or if the output's extents show it. Packed Q, K and V give the MACs only.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.shape import Shape, volume
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work
from trex.perf.work.work import Work

NAME = "attention"
_HOW = "Q, K and V were read as (…, tokens, width)"
FORMULA = "macs = keys·(values of Q + values of the output); 5 operations per score"


def takes(layer: Layer) -> bool:
    """True for a kernel whose tokens or name are those of a fused attention."""
    tokens = layer.name_parts.tokens
    if "mha" in tokens or "Mha" in tokens:
        return True
    return layer.type.lower() in _OWN_TYPES or ("mha" in layer.tactic and "fmha" in layer.tactic.lower())


def work(layer: Layer) -> Work:
    operands = [tensor.shape for tensor in layer.inputs if tensor.shape is not None and len(tensor.shape) >= 2]
    output = layer.outputs[0].shape if layer.outputs else None
    written = volume(output)
    if written is None or any(tensor.shape is None or None in tensor.shape for tensor in layer.inputs):
        return layer_work(NAME, layer, None, None, FORMULA, confidence=0.5, reason="unknown shapes of operands")
    if len(operands) >= 3:
        return _from_three(layer, operands, output or (), written)
    if len(operands) == 1 and volume(operands[0]) == 3 * written:
        return _from_packed(layer, operands[0], output or (), written)
    return layer_work(NAME, layer, None, None, FORMULA, confidence=0.5, reason="Q, K and V cannot be identified")


def _from_three(layer: Layer, operands: list[Shape], output: Shape, written: int) -> Work:
    query, key = _query_and_key(operands[:3], written)
    keys, confidence, reason = _keys(query, key, output)
    values = volume(query)
    width = query[-1]
    if keys is None or values is None or not width or not _fits(query, key, keys):
        reason = reason or "the shapes of Q and K do not fit together"
        return layer_work(NAME, layer, None, None, FORMULA, confidence=0.5, reason=reason)
    scores = values // width * keys
    masks = sum((volume(mask) or 0) > 1 and mask[-1] == keys for mask in operands[3:])
    return layer_work(
        NAME,
        layer,
        keys * (values + written),
        scores * (5 + masks),
        FORMULA,
        (("keys", keys), ("values of Q", values), ("values of the output", written), ("scores", scores)),
        confidence=confidence,
        reason=reason,
    )


def _query_and_key(operands: list[Shape], written: int) -> tuple[Shape, Shape]:
    """In order, unless only a later operand has the output's size: kernels of Myelin read K and V first if few heads
    are shared (grouped-query attention).
    """
    query, *others = sorted(operands, key=lambda shape: volume(shape) != written)
    return query, others[0]


def _keys(query: Shape, key: Shape, output: Shape) -> tuple[int | None, float, str]:
    """(number of keys, confidence, the method or the reason)."""
    width = query[-1]
    if len(key) < 2 or not width:
        return None, 0.5, "the shapes of Q and K do not fit together"
    if key[-1] != width:  # K as (…, width, tokens)
        return (key[-1] if key[-2] == width else None), 0.8, _HOW
    if len(key) < 4:
        return key[-2], 0.8, _HOW
    heads, tokens = key[-3] or 0, key[-2] or 0
    if tokens >= heads:
        return tokens, 0.8, _HOW
    if len(output) < len(query) and output and output[-1] and output[-1] % width == 0:
        groups = output[-1] // width
        if groups == tokens != heads:
            return heads, 0.8, "read as (batch, tokens, heads, width) by the output's width"
        if groups == heads:
            return tokens, 0.8, _HOW
    return (
        None,
        0.5,
        "ambiguous order: (batch, heads, tokens, width) or (batch, tokens, heads, width)",
    )


def _fits(query: Shape, key: Shape, keys: int) -> bool:
    """True when Q's heads are those of K, or share them in groups (grouped-query attention)."""
    width, values, stored = query[-1] or 1, volume(query) or 0, volume(key) or 0
    per_key = keys * width
    return bool(values and stored and per_key and stored % per_key == 0 and values % (stored // per_key) == 0)


def _from_packed(layer: Layer, packed: Shape, output: Shape, written: int) -> Work:
    """Q, K and V in one tensor (batch, tokens, 3 · heads · width) and as many tokens in the output."""
    if len(packed) == len(output) == 3 and packed[:2] == output[:2] and packed[1]:
        keys = packed[1]
        terms = (("keys", keys), ("values of Q", written), ("values of the output", written))
        reason = "unknown number of heads, and so of scores"
        return layer_work(NAME, layer, 2 * keys * written, None, FORMULA, terms, confidence=0.8, reason=reason)
    reason = "Q, K and V are packed in an unknown way"
    return layer_work(NAME, layer, None, None, FORMULA, confidence=0.5, reason=reason)


_OWN_TYPES = frozenset({"attention", "multiheadattention", "mha", "fmha"})

_TYPES = _OWN_TYPES | {"kgen", "fusion", "kernel", "gemm", "runtimefusion", "runtimefunction"}

KINDS = (WorkKind(_TYPES, work, takes=takes, order=20),)
