"""Gathering, slicing and scattering: values picked by their places.

Formula: no multiply-adds, no other operations, except one per update for a scatter that adds, multiplies or compares.
Bytes: Gather, Slice and their like read the values they pick, not all they could pick from (a row of an embedding, not
the table), and their indices. Scatter reads its data, updates and indices, and writes all of its data.

Source: ONNX operator specification, Gather, GatherElements, GatherND, Slice, Scatter…, OneHot, Trilu.

Does not hold for: scatters in place, which write their updates only; rows picked twice, which a cache may hold.
"""

from __future__ import annotations

from trex.perf.work.operand import Count, Formula, Operands

FORMULA = "values are moved, none computed"


def _picked(operands: Operands) -> Count:
    values = operands.result_bytes()
    sizes = [operands.bytes_of(place) for place in range(1, len(operands.inputs)) if operands.has(place)]
    total = None if values is None or None in sizes else values + sum(sizes)  # type: ignore[arg-type]
    terms = (("bytes picked", values), ("bytes of indices", None if None in sizes else sum(sizes)))  # type: ignore[arg-type]
    return Count(0, 0, FORMULA, terms, read=total)


def _scattered(operands: Operands) -> Count:
    if operands.text("reduction", "none") == "none":
        return Count(0, 0, FORMULA)
    updates = operands.count(2)
    return Count(0, updates, "other operations = updates", (("updates", updates),))


def _moved(operands: Operands) -> Count:
    return Count(0, 0, FORMULA)


OPERATORS: dict[str, Formula] = {
    "Gather": _picked,
    "GatherElements": _picked,
    "GatherND": _picked,
    "Slice": _picked,
    "Scatter": _scattered,
    "ScatterElements": _scattered,
    "ScatterND": _scattered,
    "TensorScatter": _scattered,
    "OneHot": _moved,
    "Trilu": _moved,
    "Compress": _moved,
}
