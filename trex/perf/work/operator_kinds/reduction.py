"""Reductions along axes, ArgMax and ArgMin, and cumulative sums.

Formula: no MACs. Other operations = values read · r + values written · w, since n values take n − 1 operations to
become one: sum, product, maximum, minimum, ArgMax and ArgMin: r = 1, w = −1; mean: w = 0 (the division); SumSquare and
L1: r = 2, w = −1 (square or magnitude); L2: r = 2, w = 0 (the root); LogSum: r = 1, w = 0; LogSumExp: r = 4 (maximum,
subtraction, exponential, sum), w = 0 (logarithm and addition, minus one for each of the two reductions). CumSum,
CumProd: r = 1.

Source: ONNX operator specification, the operators' definitions.

Does not hold for: the order of summation, which may need partial results in memory.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands

_OPERATIONS = {
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


def _reduced(operands: Operands, read: int, written: int) -> Count:
    before = operands.count()
    after = operands.result_count() if written else 0
    return Count(0, max(0, before * read + after * written))


OPERATORS: dict[str, Formula] = {
    name: partial(_reduced, read=read, written=written) for name, (read, written) in _OPERATIONS.items()
}
