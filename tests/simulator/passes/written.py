"""Small networks written as lines, single passes run over them, and what comes out as lines.

``c = Conv x w | pads=(1,1,1,1)`` is an operator called ``c`` that writes the tensor ``c``; ``w: 8x8x3x3`` a stored
tensor; ``s: = 0.5`` a stored number, ``p: = 0 1`` several. Shapes follow from the first input, as the operator says.
"""

from __future__ import annotations

from ast import literal_eval
from math import prod
from typing import Any

from tests.simulator.models import target
from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.operator import Operator, Value
from trex.core.shape import Shape
from trex.simulator.builder import PASSES
from trex.simulator.draft import BuildStep, NetworkDraft
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.initial_draft import initial_draft
from trex.simulator.target import Target

IMAGE = (2, 8, 16, 16)
_WORDS = "Conv Gemm MatMul QuantizeLinear DequantizeLinear Reshape Pad Slice BatchNormalization"
_BY_FIRST = frozenset(_WORDS.split())
FP16 = target("A100", DataType.FP16)
INT8 = target("A100", DataType.FP16, DataType.INT8)


def network(text: str, outputs: str, x: Shape = IMAGE) -> Model:
    """A model of the lines; its input is ``x``, its outputs are named with spaces between them."""
    values = {"x": Value("x", x, DataType.FP32)}
    operators: list[Operator] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if ":" in line.partition("=")[0]:
            _store(values, line)
            continue
        written, _, call = line.partition(" = ")
        words, _, options = call.partition("|")
        type_, *reads = words.split()
        attributes = {key: literal_eval(value) for key, _, value in (item.partition("=") for item in options.split())}
        names = written.split()
        inputs = tuple("" if name == "-" else name for name in reads)
        operators.append(Operator(len(operators), names[0], type_, "", inputs, tuple(names), attributes))
        shape, data_type = _described(type_, [values[name] for name in reads if name != "-"], attributes)
        values.update((name, Value(name, shape, data_type)) for name in names)
    return Model(tuple(operators), values, (values["x"],), tuple(values[name] for name in outputs.split()))


def _store(values: dict[str, Value], line: str) -> None:
    name, _, rest = line.partition(":")
    numbers = rest.partition("=")[2].split()
    if "=" in rest:
        stored = tuple((int if number.lstrip("-").isdigit() else float)(number) for number in numbers)
        values[name] = Value(name, (len(stored),) if len(stored) > 1 else (), DataType.FP32, True, stored)
    else:
        shape = tuple(int(size) for size in rest.strip().split("x"))
        values[name] = Value(name, shape, DataType.FP32, True)


def _described(type_: str, reads: list[Value], attributes: dict[str, Any]) -> tuple[Shape | None, DataType]:
    first = reads[0] if type_ in _BY_FIRST else max(reads, key=lambda item: len(item.shape or ()))
    shape, data_type = first.shape, first.data_type
    assert shape is not None
    if type_ == "QuantizeLinear":
        data_type = DataType.INT8
    elif type_ == "DequantizeLinear":
        data_type = DataType.FP32
    elif type_ == "Conv":
        assert reads[1].shape is not None
        shape = (shape[0], reads[1].shape[0], *shape[2:])
    elif type_ in ("MaxPool", "AveragePool"):
        shape = (*shape[:2], *(size // 2 for size in shape[2:] if size is not None))
    elif type_ == "GlobalAveragePool":
        shape = (*shape[:2], *(1 for _ in shape[2:]))
    elif type_ == "Flatten":
        shape = (shape[0], prod(size for size in shape[1:] if size is not None))
    elif type_ in ("Gemm", "MatMul"):
        assert reads[1].shape is not None
        shape = (*shape[:-1], reads[1].shape[0 if attributes.get("transB") else -1])
    elif type_ == "Concat":
        channels = sum(item.shape[1] or 0 for item in reads if item.shape is not None)
        shape = (shape[0], channels, *shape[2:])
    elif type_ == "Transpose":
        shape = tuple(shape[axis] for axis in attributes["perm"])
    elif type_ == "Pad" and reads[1].numbers is not None and len(reads[1].numbers) == 2 * len(shape):
        pads, rank = reads[1].numbers, len(shape)
        shape = tuple((size or 0) + int(pads[at] + pads[at + rank]) for at, size in enumerate(shape))
    elif type_ == "Reshape" and "to" in attributes:
        shape = attributes["to"]
    return shape, data_type


def after(model: Model, *names: str, of: Target = FP16) -> NetworkDraft:
    """The network after the passes of those names, one after the other."""
    draft = initial_draft(model, of)
    for name in names:
        editor = DraftEditor(draft, name)
        PASSES[name].value.edit(editor)
        draft = editor.done()
    return draft


def lines(draft: NetworkDraft) -> list[str]:
    """``label: inputs > outputs``, one line for each step."""
    return [f"{step.label}: {' '.join(step.inputs)} > {' '.join(step.outputs)}" for step in draft.steps]


def step_called(draft: NetworkDraft, label: str) -> BuildStep:
    return next(step for step in draft.steps if step.label == label)


def sound(draft: NetworkDraft) -> None:
    """Fails where a tensor is read before it is written, written twice or lost."""
    written = {value.name for value in draft.model.inputs}
    for step in draft.steps:
        missing = [name for name in step.inputs if name not in written]
        assert not missing, f"{step.label} reads {missing}, not written before"
        twice = [name for name in step.outputs if name in written]
        assert not twice, f"{step.label} writes {twice} again"
        written.update(step.outputs)
    lost = draft.results - written - draft.model.constants
    assert not lost, f"no step writes {sorted(lost)}"
