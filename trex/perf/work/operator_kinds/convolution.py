"""Convolution and its transpose, in any number of dimensions, grouped or not; plain, integer, quantized, deformable.

Formula: macs = batch · M · N · K, as implicit GEMM. Convolution: batch = groups, M = images · Π(output extents), N =
output channels / groups, K = input channels / groups · Π(kernel). Transposed: M = images · Π(input extents), N = output
channels / groups · Π(kernel), K = input channels / groups. Other operations: one per output value for a bias; a
quantized convolution scales and rounds every output value (two more). A deformable convolution blends four values for
each value that a kernel position reads: 8 operations, 9 with a mask (approximate).

Source: ONNX operator specification, Conv, ConvTranspose, ConvInteger, QLinearConv, DeformConv.

Does not hold for: algorithms that multiply less (Winograd, FFT). Positions in the padding count as all others.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import prod

from trex.perf.work.operand import Count, Formula, Operands, UnknownShape


def _convolution(operands: Operands, weights: int = 1, bias: int = 2, operations: int = 0) -> Count:
    output, kernel = operands.result(), operands.shape(weights)
    groups = _groups(operands)
    if len(output) != len(kernel) or len(kernel) < 3 or kernel[0] % groups:
        raise ValueError("ranks differ")
    m = output[0] * prod(output[2:])
    n, k = kernel[0] // groups, prod(kernel[1:])
    return Count.of_gemm(groups, m, n, k, prod(output) * (operations + operands.has(bias)))


def _transposed(operands: Operands) -> Count:
    source, kernel = operands.shape(0), operands.shape(1)
    groups = _groups(operands)
    if len(source) != len(kernel) or len(kernel) < 3 or kernel[0] % groups:
        raise ValueError("ranks differ")
    m = source[0] * prod(source[2:])
    count = Count.of_gemm(groups, m, prod(kernel[1:]), kernel[0] // groups)
    if not operands.has(2):
        return count
    try:
        return replace(count, other_ops=operands.result_count())
    except UnknownShape:
        return replace(count, other_ops=None, reason="unknown shape of the output")


def _deformable(operands: Operands) -> Count:
    count = _convolution(operands, bias=3)
    output, kernel, channels = operands.result(), operands.shape(1), operands.shape(0)[1]
    read = output[0] * prod(output[2:]) * channels * prod(kernel[2:])
    other = (count.other_ops or 0) + read * (9 if operands.has(4) else 8)
    return replace(count, other_ops=other, reason="the blending of neighbors is approximate", confidence=0.5)


def _groups(operands: Operands) -> int:
    return max(1, operands.integer("group", 1))


OPERATORS: dict[str, Formula] = {
    "Conv": _convolution,
    "ConvTranspose": _transposed,
    "ConvInteger": partial(_convolution, bias=99),
    "QLinearConv": partial(_convolution, weights=3, bias=8, operations=2),
    "DeformConv": _deformable,
}
