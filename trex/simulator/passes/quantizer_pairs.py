"""Takes out dequantizers that are quantized again at once.

What it does: where a QuantizeLinear reads what a DequantizeLinear writes and both have the same scale, those who read
the quantized tensor read the one before; with another scale the two become one step that rescales INT8 to INT8.
The rule: explicit quantization: after Q and DQ were moved towards one another, pairs with one scale cancel, and a
rescaling remains where scales differ (https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/
quantized-types-explicit-quantization.html).
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
    for number in list(editor):
        if number not in editor or editor[number].kind is not StepKind.QUANTIZE:
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
            editor.decide(f"{names} canceled", "they have one scale, so that nothing changes between them", both)
        else:
            made = replace(
                quantizer,
                kind=StepKind.SCALE,
                operators=(*dequantizer.operators, *quantizer.operators),
                inputs=(source,),
                constants=(*dequantizer.constants, *quantizer.constants),
                precision=editor.type_of(source),
                facts={"label": joined(dequantizer.label, quantizer.label)},
            )
            editor.replace(number, made)
            why = "their scales differ, so that the numbers are scaled from one to the other"
            editor.decide(f"{names} became one step", why, both)
        drop_unread(editor, before)


PASS = BuildPass("Pairs of quantizers", 150, edit)
