"""LayerEntry: the records of steps of some kinds in an engine's JSON; each is a file of ``trex.simulator.layers``.

Names of kernels are fictional and begin with ``sim_``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from trex.core.data_type import DataType
from trex.core.operator import Operator
from trex.core.registry import Registry
from trex.core.tensor_format import TensorFormat
from trex.simulator.draft import BuildStep, Draft, StepKind
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


@dataclass(frozen=True, slots=True)
class LayerEntry:
    kinds: tuple[StepKind, ...]
    record: Callable[[BuildStep, Draft], LayerRecord]


LAYERS = Registry("trex.simulator.layers", "ENTRY", plural="simulated_layers")


@cache
def _entries() -> dict[StepKind, LayerEntry]:
    return {kind: plug.value for plug in LAYERS.values() for kind in plug.value.kinds}


def record_of(step: BuildStep, draft: Draft) -> LayerRecord:
    """The record of a step without its name and tensors."""
    return _entries()[step.kind].record(step, draft)


# ------------------------------------------------------------------------------ shared by the entries


def number(operator: Operator | None, name: str, otherwise: int) -> int:
    """An ONNX attribute that is an integer, else ``otherwise``."""
    value = None if operator is None else operator.attributes.get(name)
    return value if isinstance(value, int) else otherwise


def numbers(operator: Operator | None, name: str) -> tuple[int, ...] | None:
    """An ONNX attribute that is a list of integers, None without it."""
    value = None if operator is None else operator.attributes.get(name)
    return tuple(item for item in value if isinstance(item, int)) if isinstance(value, tuple) else None


def word(operator: Operator | None, name: str, otherwise: str) -> str:
    """An ONNX attribute that is text, else ``otherwise``."""
    value = None if operator is None else operator.attributes.get(name)
    return value if isinstance(value, str) else otherwise


def reads(step: BuildStep, draft: Draft) -> tuple[DataType, TensorFormat]:
    """Type and format of the main input."""
    name = step.inputs[0] if step.inputs else step.outputs[0]
    return draft.type_of(name), draft.format_of(name)


def writes(step: BuildStep, draft: Draft) -> tuple[DataType, TensorFormat]:
    """Type and format of the main output."""
    return draft.type_of(step.outputs[0]), draft.format_of(step.outputs[0])


def architecture(draft: Draft) -> str:
    """``sm80``."""
    major, minor = draft.target.capability
    return f"sm{major}{minor}"


def kernel_name(step: BuildStep, draft: Draft, words: str) -> str:
    """``sim_sm80_{words}_f16f16_nhwc_nhwc``: the operation, then the types and formats that it reads and writes."""
    read, read_layout = reads(step, draft)
    written, written_layout = writes(step, draft)
    types = f"{short_type(read)}{short_type(written)}"
    return f"{FICTIONAL}{architecture(draft)}_{words}_{types}_{layout_word(read_layout)}_{layout_word(written_layout)}"


def axes_mask(axes: Iterable[int], rank: int) -> int:
    """Axes as TensorRT's bit mask; negative ones count from the end."""
    return sum(1 << axis for axis in {axis % rank for axis in axes}) if rank else 0


_SIZES = frozenset({"Reshape", "Expand", "Tile", "Unsqueeze", "Squeeze", "Slice", "Pad", "Resize", "TopK", "OneHot"})


def stored_operands(step: BuildStep, draft: Draft) -> tuple[str, ...]:
    """Stored tensors that a kernel reads at run time; shapes, axes and scalars are part of the kernel."""
    names = []
    for operator in step.operators:
        data = operator.inputs[:1] if operator.type in _SIZES or operator.type.startswith("Reduce") else operator.inputs
        names += [name for name in data if name in step.constants]
    values = ((name, draft.model.value(name)) for name in dict.fromkeys(names))
    return tuple(name for name, value in values if value is not None and value.shape is not None and value.count != 1)
