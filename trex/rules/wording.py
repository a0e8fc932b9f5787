"""Wording: names, times and shares as sentences of findings say them."""

from __future__ import annotations

import math
from collections.abc import Iterable

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.rules.type_flow import operations_of, operator_word

_MOST_NAMES = 8
_LONGEST = 80
_ADDED = (
    "transpose_before_",
    "unsqueeze_node_after_",
    "squeeze_after_",
    "reshape_before_",
    "reshape_after_",
    "copied_",
)
_MAIN = ("conv", "gemm", "matmul", "linear", "addmm", "globalaveragepool", "averagepool", "maxpool", "mean")


def ms(milliseconds: float) -> str:
    """``0.0369 ms``; ``an unknown time`` where it was not measured."""
    return f"{milliseconds:.3g} ms" if math.isfinite(milliseconds) else "an unknown time"


def share(part: float, whole: float) -> str:
    """``25.4 %``, "" where it is not known."""
    return f"{100 * part / whole:.1f} %" if math.isfinite(part) and math.isfinite(whole) and whole > 0 else ""


def priced(milliseconds: float, total_ms: float) -> str:
    """``0.279 ms (25.4 % of the time)``, or ``an unknown time``."""
    part = share(milliseconds, total_ms)
    return f"{ms(milliseconds)} ({part} of the time)" if part else ms(milliseconds)


def listed(names: Iterable[str], most: int = _MOST_NAMES) -> str:
    """``a, b and 3 more``; each name once."""
    kept = [shortened(name) for name in dict.fromkeys(names)]
    if len(kept) > most:
        return f"{', '.join(kept[:most])} and {len(kept) - most} more"
    return " and ".join((", ".join(kept[:-1]), kept[-1])) if len(kept) > 1 else "".join(kept)


def shortened(name: str) -> str:
    """Without its middle where it is long."""
    return name if len(name) <= _LONGEST else f"{name[:38]} … {name[-38:]}"


def main_operation(layer: Layer) -> str:
    """The operator a fused layer is known by (``Conv_34``), else its name."""
    operations = operations_of(layer)
    for operation in operations:
        if (
            operator_word(operation).startswith(_MAIN)
            and not operation.endswith((".weight", ".bias"))
            and not operation.startswith(_ADDED)
        ):
            return shortened(operation)
    return shortened(layer.name)


def type_and_layout(tensor: Tensor) -> str:
    """``FP16 NC/32HW32``."""
    return f"{tensor.precision} {tensor.format.label}" if tensor.format.is_known else tensor.precision
