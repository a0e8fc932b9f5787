"""Types and formats in the spelling of TREx."""

from __future__ import annotations

from trex.core.tensor import Tensor
from trex.plan.frames import tensor_text

_TYPES = {"INT8": "Int8", "BOOL": "Bool"}


def classic_type(label: str) -> str:
    """``Int8`` for INT8, ``Bool`` for BOOL; other labels are TREx's own."""
    return _TYPES.get(label, label)


def classic_format(tensor: Tensor) -> str:
    """Type and layout: ``Int8 NC/32HW32``, ``FP32 NCHW``."""
    label, space, layout = tensor_text(tensor).partition(" ")
    return classic_type(label) + space + layout
