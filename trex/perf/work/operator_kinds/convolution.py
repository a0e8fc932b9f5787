"""Convolution and its transpose, in any number of dimensions, grouped or not; plain, integer, quantized, deformable.

Formula: macs = batch · M · N · K, as implicit GEMM. Convolution: batch = groups, M = images · Π(output extents), N =
output channels / groups, K = input channels / groups · Π(kernel). Transposed: M = images · Π(input extents), N = output
channels / groups · Π(kernel), K = input channels / groups. Other operations: one per output value for a bias; a
quantized convolution scales and rounds every output value (two more). A deformable one blends four values for
each value that a kernel position reads: 8 operations, 9 with a mask (approximate).

Source: ONNX operator specification, Conv, ConvTranspose, ConvInteger, QLinearConv, DeformConv; ONNX Runtime's
contributed operators, FusedConv.

Does not hold for: algorithms that multiply less (Winograd, FFT). Positions in the padding count like others.
"""

from __future__ import annotations

from math import prod

from trex.perf.work.operand import Count, Extents, Operands, Terms, UnknownShape

FORMULA = (
    "macs = groups·M·N·K, M = images·Π(output extents), N = output channels/groups, K = input channels/groups·Π(kernel)"
)
TRANSPOSED = (
    "macs = groups·M·N·K, M = images·Π(input extents), N = output channels/groups·Π(kernel), K = input channels/groups"
)


def _convolution(operands: Operands, weights: int = 1, bias: int = 2, each: int = 0) -> Count:
    output, kernel = operands.result(), operands.shape(weights)
    groups = _groups(operands)
    if len(output) != len(kernel) or len(kernel) < 3 or kernel[0] % groups:
        raise ValueError("ranks differ")
    m = output[0] * prod(output[2:])
    n, k = kernel[0] // groups, prod(kernel[1:])
    other = prod(output) * (each + operands.has(bias))
    return Count(groups * m * n * k, other, FORMULA, _terms(groups, m, n, k, kernel[2:]), m=m, n=n, k=k, batch=groups)


def _transposed(operands: Operands) -> Count:
    source, kernel = operands.shape(0), operands.shape(1)
    groups = _groups(operands)
    if len(source) != len(kernel) or len(kernel) < 3 or kernel[0] % groups:
        raise ValueError("ranks differ")
    m = source[0] * prod(source[2:])
    n, k = prod(kernel[1:]), kernel[0] // groups
    terms = _terms(groups, m, n, k, kernel[2:])
    macs = groups * m * n * k
    if not operands.has(2):
        return Count(macs, 0, TRANSPOSED, terms, m=m, n=n, k=k, batch=groups)
    try:
        other: int | None = operands.result_count()
    except UnknownShape:
        other = None
    return Count(macs, other, TRANSPOSED, terms, "" if other is not None else "the output's shape is not known",
                 m=m, n=n, k=k, batch=groups)  # fmt: skip


def _deformable(operands: Operands) -> Count:
    count = _convolution(operands, bias=3)
    output, kernel, channels = operands.result(), operands.shape(1), operands.shape(0)[1]
    read = output[0] * prod(output[2:]) * channels * prod(kernel[2:])
    other = (count.other_ops or 0) + read * (9 if operands.has(4) else 8)
    reason = "the blending of neighbors is approximate"
    return Count(count.macs, other, count.formula, count.terms, reason, 0.5, count.m, count.n, count.k, count.batch)


def _quantized(operands: Operands) -> Count:
    return _convolution(operands, weights=3, bias=8, each=2)


def _integer(operands: Operands) -> Count:
    return _convolution(operands, bias=99)


def _with_activation(operands: Operands) -> Count:
    return _convolution(operands, each=1 + operands.has(3))


def _groups(operands: Operands) -> int:
    return max(1, operands.integer("group", 1))


def _terms(groups: int, m: int, n: int, k: int, kernel: Extents) -> Terms:
    return (("groups", groups), ("M", m), ("N", n), ("K", k), ("kernel", "x".join(map(str, kernel))))


OPERATORS = {
    "Conv": _convolution,
    "ConvTranspose": _transposed,
    "ConvInteger": _integer,
    "QLinearConv": _quantized,
    "DeformConv": _deformable,
    "com.microsoft::FusedConv": _with_activation,
}
