"""Views and constants: the same bytes with another shape or name, and values known before the engine runs.

Formula: no MACs, no other operations, no bytes.

Source: ONNX operator specification, Reshape, Flatten, Squeeze, Unsqueeze, Identity, Dropout (at inference), Shape,
Size, Constant, Optional….

Does not hold for: a reshape of a tensor whose format is not row-major, which has to copy.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands


def _nothing(operands: Operands, reason: str) -> Count:
    return Count(0, 0, reason, reads_all=False)


_VIEW = partial(_nothing, reason="a view: the same bytes")
_SHAPE = partial(_nothing, reason="a shape is known without reading a value")

OPERATORS: dict[str, Formula] = {
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"), _VIEW),
    **dict.fromkeys(("Optional", "OptionalGetElement", "OptionalHasElement"), _VIEW),
    **dict.fromkeys(("Shape", "Size", "SequenceLength", "SequenceEmpty"), _SHAPE),
    "Constant": partial(_nothing, reason="a constant is stored"),
    "Dropout": partial(_nothing, reason="a view: nothing is dropped at inference"),
}
