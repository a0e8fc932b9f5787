"""Moves quantizers towards the beginning, past steps that have the same result in INT8.

What it does: a QuantizeLinear with one scale that is the only reader of a max pooling, a transpose, a reshape, a zero
pad, a slice or a concatenation swaps places with it, so the step runs in INT8 and its own input is quantized; each
input of a concatenation gets a copy of the quantizer. Then quantizers of one tensor with one scale are merged.
The rule: explicit quantization: the builder propagates Q towards the beginning, as far as the layers commute with
quantization, so that as much as possible runs quantized
(https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
Verbose logs call the copies ``…_clone_0`` (https://github.com/NVIDIA/TensorRT/issues/2597).
What it leaves out: tensors that are also read in floating point, scales per channel, and steps with several outputs.
"""

from __future__ import annotations

from dataclasses import replace

from trex.simulator.builder import BuildPass
from trex.simulator.common_subexpressions import merge_duplicates
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.quantizers import COMMUTES, commutes, is_per_tensor, quantizer_after

_CLONE = "_clone_"
_MOST_GENERATIONS = 8


def edit(editor: DraftEditor) -> None:
    quantizers = [number for number in editor if editor[number].kind is StepKind.QUANTIZE]
    settled: list[int] = []
    while quantizers:
        number = quantizers.pop()
        moved = _move(editor, number)
        quantizers += moved
        if not moved:
            settled.append(number)
    left = sorted(number for number in settled if number in editor)
    for kept, gone in merge_duplicates(editor, left, editor.draft.model):
        why = "both quantize one tensor with one scale"
        editor.decide(f"{gone.label} was merged into {editor[kept].label}", why, (*editor[kept].origins, *gone.origins))


def _move(editor: DraftEditor, number: int) -> list[int]:
    """The quantizers before the step that a quantizer followed; empty if it stays."""
    quantizer = editor[number]
    before = editor.writer(quantizer.inputs[0])
    if before is None or quantizer_after(editor, before) != number or not is_per_tensor(editor.draft.model, quantizer):
        return []
    step = editor[before]
    if not commutes(editor, step):
        return []
    between, result = quantizer.inputs[0], quantizer.outputs[0]
    quantized = editor.type_of(result)
    editor.decide(
        f"{quantizer.label} moved before {step.label}", COMMUTES.format(step.label), (*quantizer.origins, *step.origins)
    )
    if len(step.inputs) == 1:
        source = step.inputs[0]
        editor.replace(before, replace(step, inputs=(between,), outputs=(result,), precision=quantized))
        editor.replace(number, replace(quantizer, inputs=(source,), outputs=(between,)))
        editor.set_shape(between, editor.shape_of(source))
        editor.set_type(between, quantized)
        return [number]
    editor.remove(number)
    copies: dict[str, tuple[str, int]] = {}
    for index, source in enumerate(dict.fromkeys(step.inputs)):
        name = editor.add_tensor(source, _clone(result, index), quantized)
        clone = replace(quantizer, inputs=(source,), outputs=(name,), facts={"label": _clone(quantizer.label, index)})
        copies[source] = (name, editor.add(clone, neighbor=before))
    inputs = tuple(copies[source][0] for source in step.inputs)
    editor.replace(before, replace(step, inputs=inputs, outputs=(result,), precision=quantized))
    return [number for _, number in copies.values()]


def _clone(name: str, index: int) -> str:
    """Clones of clones are called after the first of them, else thousands of concatenations make names as long."""
    root = name.split(_CLONE, 1)[0] if name.count(_CLONE) >= _MOST_GENERATIONS else name
    return f"{root}{_CLONE}{index}"


PASS = BuildPass("Quantizer propagation", 130, edit)
