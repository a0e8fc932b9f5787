"""Sorting and searching: the k largest values, and nonzero values.

Formula: no MACs. TopK: other operations = values · ⌈log₂(k + 1)⌉ comparisons, those of a heap of k (at most;
approximate). NonZero: one comparison per value.

Source: ONNX operator specification, TopK, NonZero; Knuth, "The Art of Computer Programming", volume 3, 5.2.3, for the
heap.

Does not hold for: radix sorts, which compare nothing; operators whose number of results depends on the data (Unique,
NonMaxSuppression), which have no formula.
"""

from __future__ import annotations

from trex.perf.work.operand import Count, Formula, Operands


def _top_k(operands: Operands) -> Count:
    values, axis = operands.count(), operands.integer("axis", -1)
    steps = operands.result()[axis].bit_length()  # ⌈log₂(k + 1)⌉
    return Count(0, values * steps, "comparisons of a heap", 0.5)


def _non_zero(operands: Operands) -> Count:
    return Count(0, operands.count())


OPERATORS: dict[str, Formula] = {"TopK": _top_k, "NonZero": _non_zero}
