"""GEMMs: Gemm and MatMul, plain, integer and quantized.

Formula: macs = batch · M · N · K for an M×K by a K×N matrix; the batch is the broadcast of all extents before the last
two, a vector counts as a matrix of one row or column. Other operations per output value: Gemm one each for the addition
of C, for alpha ≠ 1 and for beta ≠ 1; quantized GEMMs two (scale, round).

Source: ONNX operator specification, Gemm, MatMul, MatMulInteger, QLinearMatMul (MatMul: as numpy.matmul).

Does not hold for: triangular or otherwise structured operands, counted as dense.
"""

from __future__ import annotations

from math import prod

from trex.perf.work.operand import Count, Extents, Operands


def _matrices(first: Extents, second: Extents, operations: int = 0) -> Count:
    if not first or not second:
        raise ValueError("a scalar is no matrix")
    k = first[-1]
    if k != (second[-2] if len(second) > 1 else second[0]):
        raise ValueError("depths differ")
    m = first[-2] if len(first) > 1 else 1
    n = second[-1] if len(second) > 1 else 1
    if len(second) <= 2:
        batch, m = 1, prod(first[:-1])
    else:
        batch = prod(_broadcast(first[:-2], second[:-2]))
    return Count.of_gemm(batch, m, n, k, batch * m * n * operations)


def _broadcast(first: Extents, second: Extents) -> Extents:
    rank = max(len(first), len(second))
    pairs = zip((1,) * (rank - len(first)) + first, (1,) * (rank - len(second)) + second)
    return tuple(b if a == 1 else a for a, b in pairs)


def _matmul(operands: Operands) -> Count:
    return _matrices(operands.shape(0), operands.shape(1))


def _quantized_matmul(operands: Operands) -> Count:
    return _matrices(operands.shape(0), operands.shape(3), 2)


def _gemm(operands: Operands) -> Count:
    first, second = operands.shape(0), operands.shape(1)
    if len(first) != 2 or len(second) != 2:
        raise ValueError("no matrices")
    m, k = first[::-1] if operands.integer("transA", 0) else first
    n = second[0] if operands.integer("transB", 0) else second[1]
    operations = int(operands.number("alpha", 1.0) != 1.0)
    if operands.has(2):
        operations += 1 + (operands.number("beta", 1.0) not in (0.0, 1.0))
    return Count.of_gemm(1, m, n, k, m * n * operations)


OPERATORS = {
    "MatMul": _matmul,
    "MatMulInteger": _matmul,
    "QLinearMatMul": _quantized_matmul,
    "Gemm": _gemm,
}
