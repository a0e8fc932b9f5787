"""Types, formats and shapes in the spelling of TREx."""

from __future__ import annotations

from collections.abc import Sequence

from trex.core.tensor import Tensor

_TYPES = {"INT8": "Int8", "BOOL": "Bool"}


def classic_type(label: str) -> str:
    """``Int8`` for INT8, ``Bool`` for BOOL; other labels are TREx's own."""
    return _TYPES.get(label, label)


def classic_format(tensor: Tensor) -> str:
    """Type and layout: ``Int8 NC/32HW32``, ``FP32 NCHW``; only the type if the layout is unknown."""
    layout = f" {tensor.format.label}" if tensor.format.is_known else ""
    return classic_type(tensor.precision) + layout


def classic_text(text: str) -> str:
    """``INT8 NCHW`` → ``Int8 NCHW``."""
    label, space, layout = text.partition(" ")
    return classic_type(label) + space + layout


def dimensions_text(shape: Sequence[int | None] | None) -> str:
    """``[1, 3, 224, 224]``; -1 for a dimension that is not known, ``?`` for a shape."""
    return "?" if shape is None else f"[{', '.join(str(-1 if dim is None else dim) for dim in shape)}]"
