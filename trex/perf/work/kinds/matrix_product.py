"""Matrix product: GEMM and matrix multiplication with or without batch, with what is fused behind it.

Formula: macs = batch · M · N · K for an M×K by a K×N matrix. Other operations: one per output value and further operand
that is no scalar (bias, residual), and those of an activation that the names of the layer's ONNX nodes tell. Bytes:
both operands, further ones and the output once, stored ones as weights.

Source: the definition of the product; NVIDIA's "Matrix Multiplication Background User's Guide" (M, N, K).

Does not hold for: triangular or otherwise structured operands, counted as if dense. Where the second operand is not
told, K is the first one's last extent; where a reshape is fused behind the product, a stored matrix of two dimensions
tells K and N (both 0.8 of confidence).
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import made, output_volume, times
from trex.perf.work.named_operations import activation_in_names
from trex.perf.work.work import Work
from trex.plan.matrix_product import MATMUL_TYPES, MatrixProduct, matrix_product

FORMULA = "macs = batch·M·N·K"
KIND_NAME = "matrix-product"


def work(layer: Layer) -> Work:
    product, confidence, reason = matrix_product(layer), 1.0, ""
    if product is None:
        product, reason = _inferred(layer)
        confidence = 0.8
    terms: tuple[tuple[str, object], ...] = ()
    if product is not None:
        terms = (("batch", product.batch), ("M", product.m), ("N", product.n), ("K", product.k))
    stored = [weights for weights in layer.weights if weights.kind == "input"]
    added = sum(tensor.volume != 1 for tensor in layer.inputs) + sum(weights.count != 1 for weights in stored) - 2
    named = activation_in_names(layer.origins) if layer.origins else 0
    each = max(0, added) + named
    return made(
        KIND_NAME,
        layer,
        None if product is None else product.macs,
        times(output_volume(layer), each),
        FORMULA,
        (*terms, ("fused operations per value", each)),
        product=product,
        confidence=min(confidence, 0.8) if named else confidence,
        reason=reason or ("the activation was read from the names of the ONNX nodes" if named else ""),
    )


def _inferred(layer: Layer) -> tuple[MatrixProduct | None, str]:
    """The product where its operands' shapes alone do not fit the output's, and how it was found, or why not."""
    first = layer.inputs[0] if layer.inputs else None
    values, read = output_volume(layer), first.volume if first is not None else None
    shape = layer.outputs[0].shape if layer.outputs else None
    if first is None or not values or not read or not shape or not first.shape:
        return None, "the operands' shapes are not told"
    for weights in layer.weights:
        if weights.kind != "input" or not weights.count or weights.count == 1:
            continue
        for depth in {first.shape[-1], first.shape[-2] if len(first.shape) > 1 else None}:
            if depth and weights.count % depth == 0 and read // depth * (weights.count // depth) == values:
                product = MatrixProduct(read // depth, weights.count // depth, depth)
                return product, "K and N were taken from the number of stored values, as the output is reshaped"
        return None, "the operands' shapes do not fit the output's"
    rows = values // shape[-1] if shape[-1] else 0
    if len(layer.inputs) == 1 and rows and read % rows == 0 and first.shape[-1] == read // rows:
        product = MatrixProduct(rows, values // rows, read // rows)
        return product, "the second operand is not told: K is the first one's last extent"
    return None, "the operands' shapes do not fit the output's"


KIND = WorkKind(frozenset(name.replace("_", "") for name in MATMUL_TYPES) | {"fullyconnected"}, work, order=40)
