"""Resizing and sampling: every output value from some neighbors of a place in the input.

Formula: no multiply-adds (no matrix units work). Other operations = output values · 2t for t neighbors, each weighted
and added: nearest t = 0, linear t = 2 per axis that changes its extent (4 for images), cubic t = 4 per axis (16).
GridSample takes all its axes; RoiAlign 4 neighbors for each of its samples (sampling_ratio², or 1 of unknown number).
Bytes: all of the input, once.

Source: ONNX operator specification, Resize, Upsample, GridSample, RoiAlign.

Does not hold for: the computation of coordinates, which is left out; antialiasing, whose neighbors are more. It is
approximate except for nearest.
"""

from __future__ import annotations

from trex.perf.work.operand import Count, Extents, Formula, Operands

FORMULA = "other operations = output values · 2·neighbors"
_REASON = "neighbors are counted, the computation of coordinates is not"


def _resized(operands: Operands) -> Count:
    mode = operands.text("mode", "nearest")
    axes = sum(before != after for before, after in zip(operands.shape(), operands.result()))
    return _blended(operands.result_count(), _neighbors(mode, axes))


def _sampled(operands: Operands) -> Count:
    source: Extents = operands.shape()
    return _blended(operands.result_count(), _neighbors(operands.text("mode", "linear"), len(source) - 2))


def _regions(operands: Operands) -> Count:
    ratio = operands.integer("sampling_ratio", 0)
    counted = _blended(operands.result_count(), 4 * max(1, ratio) ** 2)
    if ratio:
        return counted
    reason = "the number of samples depends on the regions: one was counted for each output value"
    return Count(0, counted.other_ops, FORMULA, counted.terms, reason, 0.5)


def _neighbors(mode: str, axes: int) -> int:
    if mode == "nearest" or not axes:
        return 0
    return (4 if "cubic" in mode else 2) ** axes


def _blended(values: int, neighbors: int) -> Count:
    terms = (("output values", values), ("neighbors", neighbors))
    if not neighbors:
        return Count(0, 0, FORMULA, terms)
    return Count(0, values * 2 * neighbors, FORMULA, terms, _REASON, 0.5)


OPERATORS: dict[str, Formula] = {
    "Resize": _resized,
    "Upsample": _resized,
    "GridSample": _sampled,
    "RoiAlign": _regions,
}
