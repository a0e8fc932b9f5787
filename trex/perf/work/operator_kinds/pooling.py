"""Pooling: the maximum, average or norm of windows, or of whole channels.

Formula: no MACs. Other operations = output values · e, n = Π(window): e = n − 1 for the maximum, n for the average (n −
1 additions, a division), 2n + 1 for the norm (n powers, n − 1 additions, a root); the window of a global pooling is the
whole channel. RoI pooling: see resize.

Source: ONNX operator specification, MaxPool, AveragePool, LpPool, GlobalMaxPool, GlobalAveragePool, GlobalLpPool.

Does not hold for: kernels that share sums between overlapping windows; positions in the padding count as all others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

from trex.perf.work.operand import Count, Formula, Operands


def _maximum(window: int) -> int:
    return window - 1


def _average(window: int) -> int:
    return window


def _norm(window: int) -> int:
    return 2 * window + 1


def _pooled(operands: Operands, operations_of: Callable[[int], int], *, is_global: bool) -> Count:
    window = operands.shape()[2:] if is_global else operands.integers("kernel_shape")
    if not window or min(window) < 1:
        raise ValueError("no window")
    return Count(0, operands.result_count() * operations_of(prod(window)))


OPERATORS: dict[str, Formula] = {
    "MaxPool": partial(_pooled, operations_of=_maximum, is_global=False),
    "AveragePool": partial(_pooled, operations_of=_average, is_global=False),
    "LpPool": partial(_pooled, operations_of=_norm, is_global=False),
    "GlobalMaxPool": partial(_pooled, operations_of=_maximum, is_global=True),
    "GlobalAveragePool": partial(_pooled, operations_of=_average, is_global=True),
    "GlobalLpPool": partial(_pooled, operations_of=_norm, is_global=True),
}
