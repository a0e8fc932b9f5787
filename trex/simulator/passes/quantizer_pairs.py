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

from trex.simulator.build_pass import BuildPass
from trex.simulator.draft import Kind
from trex.simulator.fusing import joined
from trex.simulator.quantizers import dequantizer_of, drop_unread, scale_key
from trex.simulator.workbench import Workbench


def edit(bench: Workbench) -> None:
    model = bench.draft.model
    for number in list(bench):
        if number not in bench or bench[number].kind is not Kind.QUANTIZE:
            continue
        quantizer = bench[number]
        before = dequantizer_of(bench, quantizer.inputs[0])
        if before is None:
            continue
        dequantizer = bench[before]
        source, result = dequantizer.inputs[0], quantizer.outputs[0]
        both = (*dequantizer.origins, *quantizer.origins)
        names = f"{dequantizer.label} and {quantizer.label}"
        is_same = scale_key(model, dequantizer) == scale_key(model, quantizer)
        if is_same and bench.type_of(source) is bench.type_of(result) and not bench.is_result(result):
            bench.remove(number)
            for reader in bench.readers(result):
                bench.rename_input(reader, result, source)
            bench.decide(f"{names} canceled", "they have one scale, so that nothing changes between them", both)
        else:
            made = replace(
                quantizer,
                kind=Kind.SCALE,
                operators=(*dequantizer.operators, *quantizer.operators),
                inputs=(source,),
                constants=(*dequantizer.constants, *quantizer.constants),
                precision=bench.type_of(source),
                facts={"label": joined(dequantizer.label, quantizer.label)},
            )
            bench.replace(number, made)
            why = "their scales differ, so that the numbers are scaled from one to the other"
            bench.decide(f"{names} became one step", why, both)
        drop_unread(bench, before)


PASS = BuildPass("Pairs of quantizers", 150, edit)
