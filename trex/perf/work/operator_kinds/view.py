"""Views and constants: the same bytes under another shape or name, and what is known before the engine runs.

Formula: no multiply-adds, no other operations, no bytes.

Source: ONNX operator specification, Reshape, Flatten, Squeeze, Unsqueeze, Identity, Dropout (at inference), Shape,
Size, Constant, Optional….

Does not hold for: a reshape of values that lie in another order than their shape tells, which has to copy.
"""

from __future__ import annotations

from trex.perf.work.operand import Count, Formula, Operands, no_work


def _view(operands: Operands) -> Count:
    return no_work("a view: the same bytes")


def _shape(operands: Operands) -> Count:
    return no_work("a shape is known without reading a value")


def _constant(operands: Operands) -> Count:
    return no_work("a constant is stored")


def _dropout(operands: Operands) -> Count:
    return no_work("a view: nothing is dropped at inference")


OPERATORS: dict[str, Formula] = {
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"), _view),
    **dict.fromkeys(("Optional", "OptionalGetElement", "OptionalHasElement"), _view),
    **dict.fromkeys(("Shape", "Size", "SequenceLength", "SequenceEmpty"), _shape),
    "Constant": _constant,
    "Dropout": _dropout,
}
