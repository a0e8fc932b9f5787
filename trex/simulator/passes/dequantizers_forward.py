"""Moves dequantizers towards the end, past steps that have the same result in INT8.

What it does: a max pooling, transpose, reshape, zero pad or slice after a DequantizeLinear with one scale reads the
INT8 tensor, and the dequantizer follows it; if other steps read the dequantized tensor, a copy of the dequantizer does.
The rule: explicit quantization: the builder propagates DQ towards the end, as far as the layers commute with it, which
delays dequantization
(https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
What it leaves out: concatenations, which the quantizers after them move past; scales per channel; steps that write an
output of the network.
"""

from __future__ import annotations

from dataclasses import replace

from trex.simulator.builder import BuildPass
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.quantizers import COMMUTES, commutes, drop_unread, is_per_tensor


def edit(editor: DraftEditor) -> None:
    dequantizers = [number for number in editor if editor[number].kind is StepKind.DEQUANTIZE]
    while dequantizers:
        number = dequantizers.pop()
        if number in editor and is_per_tensor(editor.draft.model, editor[number]):
            dequantizers += _delay(editor, number)


def _delay(editor: DraftEditor, number: int) -> list[int]:
    dequantizer = editor[number]
    source, between = dequantizer.inputs[0], dequantizer.outputs[0]
    quantized = editor.type_of(source)
    behind: list[int] = []
    for reader in editor.readers(between):
        step = editor[reader]
        if not commutes(editor, step) or len(step.inputs) != 1 or any(map(editor.is_result, step.outputs)):
            continue
        result = step.outputs[0]
        is_only = editor.only_reader(between) == reader
        name = between if is_only else editor.add_tensor(result, f"{between}_clone", quantized)
        editor.decide(
            f"{dequantizer.label} moved behind {step.label}",
            COMMUTES.format(step.label),
            (*dequantizer.origins, *step.origins),
        )
        editor.replace(reader, replace(step, inputs=(source,), outputs=(name,), precision=quantized))
        delayed = replace(dequantizer, inputs=(name,), outputs=(result,))
        if is_only:
            editor.set_shape(between, editor.shape_of(result))
            editor.set_type(between, quantized)
            editor.replace(number, delayed)
            return [*behind, number]
        behind.append(editor.add(delayed, neighbor=reader))
    drop_unread(editor, number)
    return behind


PASS = BuildPass("Dequantizer propagation", 140, edit)
