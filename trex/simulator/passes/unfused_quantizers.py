"""Explains why each remaining quantizer and dequantizer stays a layer.

What it does: nothing to the network; for every unfused QuantizeLinear and DequantizeLinear it finds the reason: it runs
as a reformat into another type.
The rule: explicit quantization: Q and DQ that are not fused are executed in place
(https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
What it leaves out: those of stored weights, which are computed at build time.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.myelin import MYELIN_ALONE
from trex.simulator.quantizers import is_per_tensor

_LISTED = 3


def edit(editor: DraftEditor) -> None:
    for number in editor:
        step = editor[number]
        if step.kind is StepKind.QUANTIZE:
            editor.decide(f"{step.label} stays a layer", _why_quantize(editor, number), step.origins)
        elif step.kind is StepKind.DEQUANTIZE:
            editor.decide(f"{step.label} stays a layer", _why_dequantize(editor, number), step.origins)


def _why_quantize(editor: DraftEditor, number: int) -> str:
    step = editor[number]
    source = step.inputs[0]
    writer = editor.writer(source)
    readers, count = editor.first_readers(source, _LISTED + 1)
    others = [editor[reader].label for reader in readers if reader != number]
    if not is_per_tensor(editor.draft.model, step):
        return "it has a scale per channel, but activations are quantized with one scale"
    if writer is None:
        return f"{source} is an input of the network in floating point"
    if editor.is_result(source):
        return f"{source} is also an output of the network in floating point"
    if others:
        return f"{_listed(others, count - 1)} also reads {source}, in floating point"
    return f"{editor[writer].label} writes floating point"


def _why_dequantize(editor: DraftEditor, number: int) -> str:
    step = editor[number]
    readers, count = editor.first_readers(step.outputs[0], _LISTED)
    if not is_per_tensor(editor.draft.model, step):
        return "it has a scale per channel, but activations are quantized with one scale"
    if editor.is_result(step.outputs[0]):
        return "it writes an output of the network in floating point"
    return f"{_listed([editor[reader].label for reader in readers], count)} reads it in floating point"


def _listed(names: list[str], count: int) -> str:
    more = count - _LISTED
    return " and ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


PASS = BuildPass("Unfused quantizers", 185, edit, until=MYELIN_ALONE)
