"""Words for a layer's types, kernel and formats, to say what changed between two engines."""

from __future__ import annotations

from collections.abc import Iterable

from trex.compare.matching.name_evidence import is_conversion
from trex.core.layer import Layer
from trex.plan.kernels import kernel_of


def differing_parts(left: str, right: str) -> tuple[str, str]:
    """Two names without their common beginning and ending."""
    left_parts, right_parts = left.split("_"), right.split("_")
    first, last = 0, 0
    most = min(len(left_parts), len(right_parts)) - 1
    while first < most and left_parts[first] == right_parts[first]:
        first += 1
    while last < most - first and left_parts[-1 - last] == right_parts[-1 - last]:
        last += 1
    shown = []
    for parts in (left_parts, right_parts):
        middle = "_".join(parts[first : len(parts) - last])
        shown.append(f"{'…' if first else ''}{middle}{'…' if last else ''}")
    return shown[0], shown[1]


def type_words(layer: Layer) -> str:
    """``INT8 to FP32``: the type it computes in and the type it writes; for a conversion, from which type to which."""
    if not layer.outputs or not layer.outputs[0].data_type.is_known:
        return layer.precision
    written = layer.outputs[0].precision
    if is_conversion(layer) and layer.inputs:
        return f"{layer.inputs[0].precision} to {written}"
    return _changed(layer.precision, written)


def io_types(layer: Layer) -> str:
    """Types of the first input and output: ``FP16 to INT8``."""
    read = layer.inputs[0].precision if layer.inputs else "?"
    return _changed(read, layer.outputs[0].precision if layer.outputs else "?")


def io_formats(layer: Layer) -> str:
    """Formats of the first input and output: ``NHWC8 to NCHW``."""
    read = layer.inputs[0].format.label if layer.inputs else "?"
    return _changed(read, layer.outputs[0].format.label if layer.outputs else "?")


def kernel_label(layer: Layer) -> str:
    """The kernel's library, tile and stages if its name contains them, else the name or the tactic's number."""
    kernel = kernel_of(layer)
    if kernel.tile is None:
        number = f"tactic {layer.tactic_value}" if layer.tactic_value is not None else "kernel not named"
        return layer.tactic or number
    tile = "x".join(str(extent) for extent in kernel.tile if extent is not None)
    stages = "" if kernel.stages is None else f", {kernel.stages} stages"
    return f"{kernel.library or kernel.family} tile {tile}{stages}"


def joined(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(values))


def _changed(read: str, written: str) -> str:
    return read if read == written else f"{read} to {written}"
