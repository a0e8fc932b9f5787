"""Removes dequantizers directly followed by a quantizer.

What it does: if a QuantizeLinear reads the output of a DequantizeLinear and both have the same scale, the readers of
the quantized tensor read the original one; with another scale the two become one step that rescales INT8 to INT8.
The rule: explicit quantization: after Q and DQ propagation, pairs with one scale cancel, and a rescaling remains if
scales differ
(https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
What it leaves out: Q before DQ, which rounds and must stay; outputs of the network.
"""

from __future__ import annotations

from dataclasses import replace

from trex.simulator.builder import BuildPass
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import joined
from trex.simulator.quantizers import dequantizer_of, drop_unread, scale_key


def edit(editor: DraftEditor) -> None:
    model = editor.draft.model
    for number in editor:
        if editor[number].kind is not StepKind.QUANTIZE:
            continue
        quantizer = editor[number]
        before = dequantizer_of(editor, quantizer.inputs[0])
        if before is None:
            continue
        dequantizer = editor[before]
        source, result = dequantizer.inputs[0], quantizer.outputs[0]
        both = (*dequantizer.origins, *quantizer.origins)
        names = f"{dequantizer.label} and {quantizer.label}"
        is_same = scale_key(model, dequantizer) == scale_key(model, quantizer)
        if is_same and editor.type_of(source) is editor.type_of(result) and not editor.is_result(result):
            editor.remove(number)
            for reader in editor.readers(result):
                editor.rename_input(reader, result, source)
            editor.decide(f"{names} canceled", "they have the same scale", both)
        else:
            rescaled = replace(
                quantizer,
                kind=StepKind.SCALE,
                operators=(*dequantizer.operators, *quantizer.operators),
                inputs=(source,),
                constants=(*dequantizer.constants, *quantizer.constants),
                precision=editor.type_of(source),
                facts={"label": joined(dequantizer.label, quantizer.label)},
            )
            editor.replace(number, rescaled)
            why = "their scales differ, so the values are rescaled"
            editor.decide(f"{names} became one step", why, both)
        drop_unread(editor, before)


PASS = BuildPass("Pairs of quantizers", 150, edit)
