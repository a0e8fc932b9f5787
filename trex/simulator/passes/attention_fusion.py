"""Fuses attention into one kernel: softmax(Q·Kᵀ)·V, with the scale and the mask between.

What it does: a softmax between two GEMMs of activations, with only scales, masks, casts and selections between them,
becomes one step that reads Q, K, V and the mask.
The rule: compute capability 7.5 or higher; GEMMs in FP16 or BF16, in INT8 or (8.9 and higher) FP8 if they are
quantized; head sizes of 16 to 256 in multiples of 8, INT8 head sizes of 16, 32 or 64 and sequences of at most 512.
Source: TensorRT Developer Guide, Multi-Head Attention Fusion, and its restrictions as quoted in NVIDIA/TensorRT issue
2981.
What it leaves out: TensorRT keeps the parts if they are faster (short sequences); that is not predicted. A scale after
the first GEMM is fused.
"""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import as_one_step
from trex.simulator.myelin import multiplies_activations

OLDEST = (7, 5)
_BETWEEN = frozenset(
    {StepKind.CAST, StepKind.ELEMENTWISE, StepKind.POINTWISE, StepKind.SELECT, StepKind.QUANTIZE, StepKind.DEQUANTIZE}
)
_MOST_BETWEEN = 6
_SMALLEST, _LARGEST, _MULTIPLE = 16, 256, 8
_RULE = "TensorRT Developer Guide, Multi-Head Attention Fusion"


def edit(editor: DraftEditor) -> None:
    for number in editor:
        if editor[number].kind is StepKind.SOFTMAX:
            _fuse(editor, number)


def _fuse(editor: DraftEditor, softmax: int) -> None:
    before, first = _upwards(editor, softmax)
    after, second = _downwards(editor, softmax)
    if first is None or second is None or first == second:
        return
    numbers = [first, *reversed(before), softmax, *after, second]
    names = [name for number in numbers for name in editor[number].origins]
    why_not = _violated(editor, editor[first])
    if why_not:
        editor.decide(f"the attention around {editor[softmax].origins[0]} is not fused: {why_not}", _RULE, names)
        return
    attention = as_one_step(editor, numbers, StepKind.ATTENTION)
    if attention is None:  # nothing reads it
        return
    editor.merge(numbers, attention)
    editor.decide(f"{len(numbers)} steps around {attention.origins[0]} become one attention kernel", _RULE, names)


def _upwards(editor: DraftEditor, softmax: int) -> tuple[list[int], int | None]:
    """(steps between the first GEMM and the softmax, the GEMM)."""
    between: list[int] = []
    number = softmax
    for _ in range(_MOST_BETWEEN + 1):
        writer = _main_writer(editor, editor[number])
        if writer is None or editor.only_reader(editor[writer].outputs[0]) != number:
            return between, None
        if multiplies_activations(editor[writer]):
            return between, writer
        if editor[writer].kind not in _BETWEEN:
            return between, None
        between.append(writer)
        number = writer
    return between, None


def _main_writer(editor: DraftEditor, step: BuildStep) -> int | None:
    """The step before: of several inputs the one that a GEMM of activations writes, directly or not."""
    writers = [writer for name in step.inputs if (writer := editor.writer(name)) is not None]
    if len(writers) > 1:
        shape = editor.shape_of(step.outputs[0])
        same_shape = [writer for writer in writers if editor.shape_of(editor[writer].outputs[0]) == shape]
        products = [writer for writer in same_shape if multiplies_activations(editor[writer])]
        writers = products or same_shape or writers
    return writers[0] if writers else None


def _downwards(editor: DraftEditor, softmax: int) -> tuple[list[int], int | None]:
    between: list[int] = []
    number = softmax
    for _ in range(_MOST_BETWEEN + 1):
        output = editor[number].outputs[0]
        reader = editor.only_reader(output)
        if reader is None:
            return between, None
        step = editor[reader]
        if multiplies_activations(step):
            return (between, reader) if step.inputs[0] == output else (between, None)
        if step.kind not in _BETWEEN:
            return between, None
        between.append(reader)
        number = reader
    return between, None


def _violated(editor: DraftEditor, first: BuildStep) -> str:
    """The condition that is not met, "" if all are."""
    target = editor.draft.target
    if target.capability < OLDEST:
        return f"compute capability {target.capability[0]}.{target.capability[1]} is below 7.5"
    types = {editor.type_of(name) for name in first.inputs[:2]}
    quantized = DataType.INT8 if DataType.INT8 in types else DataType.FP8 if DataType.FP8 in types else None
    halves = {DataType.FP16, DataType.BF16}
    if quantized is None and not (types <= halves or any(target.allows(data_type) for data_type in halves)):
        return "its GEMMs are in FP32, and FP16 is not allowed"
    shape = editor.shape_of(first.inputs[0])
    head = shape[-1] if shape else None
    if head is not None and (head % _MULTIPLE or not _SMALLEST <= head <= _LARGEST):
        return f"head size {head} is no multiple of 8 from 16 to 256"
    scores = editor.shape_of(first.outputs[0]) or ()
    longest = max((size for size in scores[-2:] if size is not None), default=0)
    if quantized is DataType.INT8 and (head not in (16, 32, 64) or longest > 512):
        return f"INT8 needs a head size of 16, 32 or 64 and at most 512 tokens, not {head} and {longest}"
    if quantized is DataType.FP8 and target.capability < (8, 9):
        return "FP8 needs compute capability 8.9"
    return ""


PASS = BuildPass("Attention fusion", 300, edit)
