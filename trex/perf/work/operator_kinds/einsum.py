"""Einsum: sums of products over named axes.

Formula: two operands that share a summed axis are a GEMM: macs = batch · M · N · K. batch: the extents of the axes of
both operands and the result; M: of the first operand alone; N: of the second alone; K: of the summed axes of both.
Without such an axis the multiplications are other operations, one per value of all axes together. One operand: one
addition per value if an axis is summed, else none. Three or more operands are multiplied pairwise from the left
(approximate).

Source: ONNX operator specification, Einsum (as numpy.einsum).

Does not hold for: a better order of several operands; repeated axes of one operand (diagonals), which have no formula.
"""

from __future__ import annotations

from collections import Counter
from math import prod

from trex.perf.work.operand import Count, Extents, Operands, unknown

_FREE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _einsum(operands: Operands) -> Count:
    equation = operands.text("equation").replace(" ", "")
    shapes = [operands.shape(index) for index in range(len(operands.operator.inputs))]
    terms, result, extents = _parsed(equation, shapes)
    if any(len(set(term)) < len(term) for term in terms):
        return unknown("an axis is repeated within one operand")
    if len(terms) == 1:
        return Count(0, _volume(terms[0], extents) if set(terms[0]) - set(result) else 0)
    macs = other = 0.0
    left, count = terms[0], Count(0, 0)
    for index, right in enumerate(terms[1:], 1):
        needed = {*result, *(axis for term in terms[index + 1 :] for axis in term)}
        count = _pair(left, right, needed, extents)
        macs, other = macs + (count.macs or 0), other + (count.other_ops or 0)
        left = "".join(axis for axis in dict.fromkeys(left + right) if axis in needed)
    return count if len(terms) == 2 else Count(macs, other, "operands multiplied pairwise from the left", 0.5)


def _pair(left: str, right: str, needed: set[str], extents: dict[str, int]) -> Count:
    both = [axis for axis in left if axis in right]
    k = _volume([axis for axis in both if axis not in needed], extents)
    batch = _volume([axis for axis in both if axis in needed], extents)
    m = _volume([axis for axis in left if axis not in right], extents)
    n = _volume([axis for axis in right if axis not in left], extents)
    if not any(axis not in needed for axis in both):
        return Count(0, batch * m * n * k)
    return Count.of_gemm(batch, m, n, k)


def _parsed(equation: str, shapes: list[Extents]) -> tuple[list[str], str, dict[str, int]]:
    """(axes of every operand, axes of the result, extent of each axis); an ellipsis becomes unused letters."""
    written, arrow, result = equation.partition("->")
    terms = written.split(",")
    if len(terms) != len(shapes):
        raise ValueError("operands and terms differ in number")
    free = [letter for letter in _FREE if letter not in equation]
    hidden = max(
        [len(shape) - len(term.replace("...", "")) for term, shape in zip(terms, shapes) if "..." in term] or [0]
    )
    if hidden < 0 or hidden > len(free):
        raise ValueError("an operand has fewer axes than its term")
    letters = "".join(free[:hidden])
    extents: dict[str, int] = {}
    spelled = []
    for term, shape in zip(terms, shapes):
        own = len(shape) - len(term.replace("...", ""))
        axes = term.replace("...", letters[hidden - own :] if own else "")
        if len(axes) != len(shape):
            raise ValueError("an operand has other axes than its term")
        for axis, extent in zip(axes, shape):
            extents[axis] = max(extents.get(axis, 1), extent)
        spelled.append(axes)
    if arrow:
        return spelled, result.replace("...", letters), extents
    seen = Counter("".join(spelled))
    once = sorted(axis for axis, times in seen.items() if times == 1 and axis not in letters)
    return spelled, letters + "".join(once), extents


def _volume(axes: str | list[str], extents: dict[str, int]) -> int:
    return prod(extents[axis] for axis in axes)


OPERATORS = {"Einsum": _einsum}
