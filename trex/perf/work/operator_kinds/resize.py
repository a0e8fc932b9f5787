"""Resizing and sampling: every output value from some neighbors of a position in the input.

Formula: no MACs (no tensor cores work). Other operations = output values · 2t for t neighbors, a multiplication and an
addition for each: nearest t = 0, linear t = 2 per axis that changes its extent (4 for images), cubic t = 4 per axis
(16). GridSample uses all its axes; RoiAlign 4 neighbors for each of its samples (sampling_ratio², or 1 if the number is
unknown). Bytes: all of the input, once.

Source: ONNX operator specification, Resize, Upsample, GridSample, RoiAlign.

Does not hold for: the computation of coordinates, which is left out; antialiasing, which uses more neighbors.
Approximate except for nearest.
"""

from __future__ import annotations

from trex.perf.work.operand import Count, Formula, Operands

_REASON = "without the computation of coordinates"


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
    "Resize": _resized,
    "Upsample": _resized,
    "GridSample": _sampled,
    "RoiAlign": _regions,
}
