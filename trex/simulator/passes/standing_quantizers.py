"""Tells why each quantizer and dequantizer that is left stays a layer.

What it does: nothing to the network; for every QuantizeLinear and DequantizeLinear that no other step took in, it finds
what kept it apart: it runs as a copy into another type.
The rule: explicit quantization: Q and DQ that are not fused are executed where they stand (https://docs.nvidia.com/
deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
What it leaves out: those of stored weights, which are computed while the engine is built.
"""

from __future__ import annotations

from trex.simulator.build_pass import BuildPass
from trex.simulator.draft import Kind
from trex.simulator.quantizers import is_per_tensor
from trex.simulator.workbench import Workbench

_LISTED = 3


def edit(bench: Workbench) -> None:
    for number in bench:
        step = bench[number]
        if step.kind is Kind.QUANTIZE:
            bench.decide(f"{step.label} stays a layer", _why_quantize(bench, number), step.origins)
        elif step.kind is Kind.DEQUANTIZE:
            bench.decide(f"{step.label} stays a layer", _why_dequantize(bench, number), step.origins)


def _why_quantize(bench: Workbench, number: int) -> str:
    step = bench[number]
    source = step.inputs[0]
    writer = bench.writer(source)
    others = [bench[reader].label for reader in bench.readers(source) if reader != number]
    if not is_per_tensor(bench.draft.model, step):
        return "it has a scale for each channel, and activations are quantized with one"
    if writer is None:
        return f"the caller gives {source} in floating point"
    if bench.is_result(source):
        return f"the caller gets {source} in floating point as well"
    if others:
        return f"{_listed(others)} also reads {source}, in floating point"
    return f"{bench[writer].label} before it writes floating point"


def _why_dequantize(bench: Workbench, number: int) -> str:
    step = bench[number]
    readers = [bench[reader].label for reader in bench.readers(step.outputs[0])]
    if not is_per_tensor(bench.draft.model, step):
        return "it has a scale for each channel, and activations are quantized with one"
    if bench.is_result(step.outputs[0]):
        return "the caller gets its output in floating point"
    return f"{_listed(readers)} reads it in floating point"


def _listed(names: list[str]) -> str:
    more = len(names) - _LISTED
    return " and ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


PASS = BuildPass("Quantizers that stay", 185, edit)
