"""Windows: pooling, resizing and sampling, each output value from its neighbors in the input.

Formula: no MACs. Other operations of a pooling = output values · e, n = Π(window): e = n − 1 for the maximum, n for the
average (n − 1 additions, a division), 2n + 1 for the norm (n powers, n − 1 additions, a root); the window of a global
pooling is the whole channel. Of resizing and sampling: output values · 2t for t neighbors, a multiplication and an
addition for each: nearest t = 0, linear t = 2 per axis that changes its extent (4 for images), cubic t = 4 per axis
(16). GridSample uses all its axes; RoiAlign 4 neighbors for each of its samples (sampling_ratio², or 1 if the number is
unknown). Bytes: all of the input, once.

Source: ONNX operator specification, MaxPool, AveragePool, LpPool and their Global forms, Resize, Upsample, GridSample,
RoiAlign.

Does not hold for: kernels that share sums between overlapping windows; the computation of coordinates, which is left
out; antialiasing, which uses more neighbors. Positions in the padding count as all others. Interpolations are
approximate.
"""

from __future__ import annotations

from functools import partial
from math import prod

from trex.perf.work.operand import Count, Formula, Operands

_REASON = "without the computation of coordinates"
# {pooling: (factor of the window's size, addend)}
_POOLINGS = {"Max": (1, -1), "Average": (1, 0), "Lp": (2, 1)}


def _pooled(operands: Operands, factor: int, addend: int, *, is_global: bool) -> Count:
    window = operands.shape()[2:] if is_global else operands.integers("kernel_shape")
    if not window or min(window) < 1:
        raise ValueError("no window")
    return Count(0, operands.result_count() * (factor * prod(window) + addend))


def _resized(operands: Operands) -> Count:
    mode = operands.text("mode", "nearest")
    axes = sum(before != after for before, after in zip(operands.shape(), operands.result()))
    return _blended(operands.result_count(), _neighbors(mode, axes))


def _sampled(operands: Operands) -> Count:
    axes = len(operands.shape()) - 2
    return _blended(operands.result_count(), _neighbors(operands.text("mode", "linear"), axes))


def _regions(operands: Operands) -> Count:
    ratio = operands.integer("sampling_ratio", 0)
    counted = _blended(operands.result_count(), 4 * max(1, ratio) ** 2)
    if ratio:
        return counted
    return Count(0, counted.other_ops, "the number of samples depends on the regions: one per output value", 0.5)


def _neighbors(mode: str, axes: int) -> int:
    if mode == "nearest" or not axes:
        return 0
    neighbors: int = (4 if "cubic" in mode else 2) ** axes
    return neighbors


def _blended(values: int, neighbors: int) -> Count:
    return Count(0, values * 2 * neighbors, _REASON, 0.5) if neighbors else Count(0, 0)


OPERATORS: dict[str, Formula] = {
    **{f"{name}Pool": partial(_pooled, factor=f, addend=a, is_global=False) for name, (f, a) in _POOLINGS.items()},
    **{f"Global{name}Pool": partial(_pooled, factor=f, addend=a, is_global=True) for name, (f, a) in _POOLINGS.items()},
    "Resize": _resized,
    "Upsample": _resized,
    "GridSample": _sampled,
    "RoiAlign": _regions,
}
