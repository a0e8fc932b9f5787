"""Layers of one side → words for their types, kernels and formats, as a comparison tells what changed."""

from __future__ import annotations

from collections.abc import Iterable

from trex.compare.aligning.witnesses import is_conversion
from trex.core.layer import Layer
from trex.plan.kernels import kernel_of


def apart(left: str, right: str) -> tuple[str, str]:
    """Two names without the parts with which both begin and end."""
    mine, theirs = left.split("_"), right.split("_")
    first, last = 0, 0
    most = min(len(mine), len(theirs)) - 1
    while first < most and mine[first] == theirs[first]:
        first += 1
    while last < most - first and mine[-1 - last] == theirs[-1 - last]:
        last += 1
    shown = []
    for pieces in (mine, theirs):
        middle = "_".join(pieces[first : len(pieces) - last])
        shown.append(f"{'…' if first else ''}{middle}{'…' if last else ''}")
    return shown[0], shown[1]


def type_words(layer: Layer) -> str:
    """The type it computes in, and the one it writes where that is another; of a conversion, what it makes of what."""
    if not layer.outputs or not layer.outputs[0].data_type.is_known:
        return layer.precision
    read, written = layer.precision, layer.outputs[0].precision
    if is_conversion(layer) and layer.inputs:
        return f"{layer.inputs[0].precision} to {written}"
    return read if read == written else f"{read} to {written}"


def kernel_words(layer: Layer) -> str:
    """The kernel in few words: its grammar, tile and instruction, else its name."""
    kernel = kernel_of(layer)
    if kernel.tile is None:
        name = layer.tactic or (f"tactic {layer.tactic_value}" if layer.tactic_value is not None else "no kernel told")
        return name
    tile = "x".join(str(extent) for extent in kernel.tile if extent is not None)
    stages = "" if kernel.stages is None else f", {kernel.stages} stages"
    return f"{kernel.library or kernel.family} tile {tile}{stages}"


def format_words(layer: Layer) -> str:
    read = layer.inputs[0].format.label if layer.inputs else "?"
    written = layer.outputs[0].format.label if layer.outputs else "?"
    return f"{read} to {written}"


def joined(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(values))
