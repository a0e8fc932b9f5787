"""Reductions along axes, normalizations, softmax, sorting and searching.

Formula: no MACs. Other operations of a reduction = values read · r + values written · w, since n values take n − 1
operations to become one: sum, product, maximum, minimum, ArgMax and ArgMin: r = 1, w = −1; mean: w = 0 (the division);
SumSquare and L1: r = 2, w = −1 (square or magnitude); L2: r = 2, w = 0 (the root); LogSum: r = 1, w = 0; LogSumExp: r =
4 (maximum, subtraction, exponential, sum), w = 0 (logarithm and addition, minus one for each of the two reductions);
CumSum, CumProd: r = 1. TopK: values · ⌈log₂(k + 1)⌉ comparisons, those of a heap of k (at most; approximate). Of the
others values · operations per value: Softmax and LogSoftmax 5 (maximum, subtraction, exponential, sum, and division or
a second subtraction), Hardmax 2, NonZero 1; BatchNormalization 2: with stored statistics it is one scale and one shift
per channel; LayerNormalization, InstanceNormalization and GroupNormalization 7 (sum for the mean, subtraction, square,
sum for the variance, multiplication by the inverse deviation, scale, shift), 6 without a shift; RMSNormalization 4
(square, sum, multiplication, scale); LpNormalization 3, MeanVarianceNormalization 5, LRN size + 4 (square, size − 1
additions, scale, shift, power, division).

Source: ONNX operator specification, the operators' definitions; Knuth, "The Art of Computer Programming", volume 3,
5.2.3, for the heap.

Does not hold for: operations per channel, row or group (roots, divisions by a count), which are left out; a
BatchNormalization that is folded into the preceding weights (it costs nothing); kernels that compute softmax in one
pass and correct the sum, which do more; radix sorts, which compare nothing. Operators whose number of results depends
on the data (Unique, NonMaxSuppression) have no formula.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands, per_input

_READ_AND_WRITTEN = {
    "ReduceSum": (1, -1),
    "ReduceMax": (1, -1),
    "ReduceMin": (1, -1),
    "ReduceProd": (1, -1),
    "ReduceMean": (1, 0),
    "ReduceSumSquare": (2, -1),
    "ReduceL1": (2, -1),
    "ReduceL2": (2, 0),
    "ReduceLogSum": (1, 0),
    "ReduceLogSumExp": (4, 0),
    "ArgMax": (1, -1),
    "ArgMin": (1, -1),
    "CumSum": (1, 0),
    "CumProd": (1, 0),
}
_PER_VALUE = {
    "Softmax": 5,
    "LogSoftmax": 5,
    "Hardmax": 2,
    "NonZero": 1,
    "BatchNormalization": 2,
    "InstanceNormalization": 7,
    "GroupNormalization": 7,
    "RMSNormalization": 4,
    "LpNormalization": 3,
    "MeanVarianceNormalization": 5,
    # SimplifiedLayerNormalization was written into ONNX's own domain before it had RMSNormalization.
    "SimplifiedLayerNormalization": 4,
}


def _reduced(operands: Operands, read: int, written: int) -> Count:
    before = operands.count()
    after = operands.result_count() if written else 0
    return Count(0, max(0, before * read + after * written))


def _top_k(operands: Operands) -> Count:
    values, axis = operands.count(), operands.integer("axis", -1)
    steps = operands.result()[axis].bit_length()  # ⌈log₂(k + 1)⌉
    return Count(0, values * steps, "comparisons of a heap", 0.5)


def _layer(operands: Operands) -> Count:
    return per_input(operands, 6 + operands.has(2))


def _local_response(operands: Operands) -> Count:
    return per_input(operands, max(1, operands.integer("size", 1)) + 4)


OPERATORS: dict[str, Formula] = {
    **{name: partial(_reduced, read=read, written=written) for name, (read, written) in _READ_AND_WRITTEN.items()},
    **{name: partial(per_input, operations=operations) for name, operations in _PER_VALUE.items()},
    "TopK": _top_k,
    "LayerNormalization": _layer,
    "LRN": _local_response,
}
