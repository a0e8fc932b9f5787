"""LayerRecord: a step in an engine's JSON. Names of kernels are fictional and begin with ``sim_``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from trex.simulator.draft import BuildStep, NetworkDraft
from trex.simulator.spelling import layout_word, short_type

FICTIONAL = "sim_"
"""Prefix of kernel names."""


@dataclass(frozen=True, slots=True)
class LayerRecord:
    """layer_type, parameters: as in the engine inspector. tactic: name of the kernel, "" for none.

    is_generated: a Myelin kernel, listed with types only. stored: constants listed as inputs.
    """

    layer_type: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tactic: str = ""
    is_generated: bool = False
    stored: tuple[str, ...] = ()


def architecture(draft: NetworkDraft) -> str:
    """``sm80``."""
    major, minor = draft.target.capability
    return f"sm{major}{minor}"


def kernel_name(step: BuildStep, draft: NetworkDraft, words: str) -> str:
    """``sim_sm80_{words}_f16f16_nhwc_nhwc``: the operation, then the types and formats that it reads and writes."""
    tensors = (step.inputs[0] if step.inputs else step.outputs[0], step.outputs[0])
    types = "".join(short_type(draft.type_of(name)) for name in tensors)
    layouts = "_".join(layout_word(draft.format_of(name)) for name in tensors)
    return f"{FICTIONAL}{architecture(draft)}_{words}_{types}_{layouts}"


def axes_mask(axes: Iterable[int], rank: int) -> int:
    """Axes as TensorRT's bit mask; negative ones count from the end."""
    return sum(1 << axis for axis in {axis % rank for axis in axes}) if rank else 0


_SIZES = frozenset({"Reshape", "Expand", "Tile", "Unsqueeze", "Squeeze", "Slice", "Pad", "Resize", "TopK", "OneHot"})


def stored_operands(step: BuildStep, draft: NetworkDraft) -> tuple[str, ...]:
    """Stored tensors that a kernel reads at run time; shapes, axes and scalars are part of the kernel."""
    names = []
    for operator in step.operators:
        data = operator.inputs[:1] if operator.type in _SIZES or operator.type.startswith("Reduce") else operator.inputs
        names += [name for name in data if name in step.constants]
    values = ((name, draft.model.value(name)) for name in dict.fromkeys(names))
    return tuple(name for name, value in values if value is not None and value.shape is not None and value.count != 1)
