"""Gathering, slicing and scattering: values selected by index.

Formula: no MACs and no other operations, except one per update for a scatter that adds, multiplies or compares. Bytes:
Gather, Slice and similar operators read their indices and the values they select (a row of an embedding, not the
table). Scatter reads its data, updates and indices, and writes all of its data.

Source: ONNX operator specification, Gather, GatherElements, GatherND, Slice, Scatter…, OneHot, Trilu.

Does not hold for: scatters in place, which write their updates only; rows selected twice, which a cache may hold.
"""

from __future__ import annotations

from dataclasses import replace

from trex.perf.work.operand import Count, Formula, Operands

_MOVED = Count(0, 0)


def _picked(operands: Operands) -> Count:
    sizes = [operands.bytes_of(index) for index in range(1, len(operands.inputs)) if operands.has(index)]
    return replace(_MOVED, reads_all=operands.result_bytes() is None or None in sizes)


def _scattered(operands: Operands) -> Count:
    return _MOVED if operands.text("reduction", "none") == "none" else Count(0, operands.count(2))


def _moved(operands: Operands) -> Count:
    return _MOVED


OPERATORS: dict[str, Formula] = {
    **dict.fromkeys(("Gather", "GatherElements", "GatherND", "Slice"), _picked),
    **dict.fromkeys(("Scatter", "ScatterElements", "ScatterND", "TensorScatter"), _scattered),
    **dict.fromkeys(("OneHot", "Trilu", "Compress"), _moved),
}
