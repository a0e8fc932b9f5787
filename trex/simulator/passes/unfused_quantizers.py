"""Tells why each quantizer and dequantizer that is left stays a layer.

What it does: nothing to the network; for every QuantizeLinear and DequantizeLinear that no other step took in, it finds
what kept it apart: it runs as a copy into another type.
The rule: explicit quantization: Q and DQ that are not fused are executed where they stand (https://docs.nvidia.com/
deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
What it leaves out: those of stored weights, which are computed while the engine is built.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
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
    others = [editor[reader].label for reader in editor.readers(source) if reader != number]
    if not is_per_tensor(editor.draft.model, step):
        return "it has a scale for each channel, and activations are quantized with one"
    if writer is None:
        return f"the caller gives {source} in floating point"
    if editor.is_result(source):
        return f"the caller gets {source} in floating point as well"
    if others:
        return f"{_listed(others)} also reads {source}, in floating point"
    return f"{editor[writer].label} before it writes floating point"


def _why_dequantize(editor: DraftEditor, number: int) -> str:
    step = editor[number]
    readers = [editor[reader].label for reader in editor.readers(step.outputs[0])]
    if not is_per_tensor(editor.draft.model, step):
        return "it has a scale for each channel, and activations are quantized with one"
    if editor.is_result(step.outputs[0]):
        return "the caller gets its output in floating point"
    return f"{_listed(readers)} reads it in floating point"


def _listed(names: list[str]) -> str:
    more = len(names) - _LISTED
    return " and ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


PASS = BuildPass("Quantizers that stay", 185, edit)
