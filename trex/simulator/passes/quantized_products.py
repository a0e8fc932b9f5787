"""Runs convolutions and matrix products in INT8 (or FP8) where both operands are quantized.

What it does: a step with quantized weights whose input is written by a DequantizeLinear reads the quantized tensor
itself. When a QuantizeLinear alone reads its output, it writes INT8 and the quantizer is gone; else it writes floats.
A convolution with a residual addition writes INT8 only when the other operand, too, comes from a dequantizer, which
then is gone as well.
The rule: explicit quantization, Q/DQ layer placement: DQ before and Q behind a weighted layer are fused with it, output
stays in floating point where no Q follows, and where an operand of the residual addition is in floating point, so that
the trailing Q stays a layer (https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/
quantized-types-explicit-quantization.html).
What it leaves out: inputs with a scale per channel, and weights of four bits, which are multiplied in floating point.
"""

from __future__ import annotations

from dataclasses import replace

from trex.simulator.build_pass import BuildPass
from trex.simulator.draft import Step
from trex.simulator.fusing import has_weights
from trex.simulator.quantizers import QUANTIZED, dequantizer_of, drop_unread, quantizer_after
from trex.simulator.workbench import Workbench


def edit(bench: Workbench) -> None:
    for number in list(bench):
        if number not in bench or bench[number].precision.is_known:  # one that was quantized stands at its quantizer
            continue
        if bench[number].facts.get("weights_type") in QUANTIZED and has_weights(bench[number]):
            _quantize(bench, number)


def _quantize(bench: Workbench, number: int) -> None:
    step = bench[number]
    before = dequantizer_of(bench, step.inputs[0])
    if before is None:
        what = f"{step.label} runs in floating point, its weights dequantized"
        bench.decide(what, "no dequantizer with one scale writes its input", step.origins)
        return
    source = bench[before].inputs[0]
    has_residual = bool(step.facts.get("has_residual"))
    residual = dequantizer_of(bench, step.inputs[1]) if has_residual else None
    after = quantizer_after(bench, number)
    is_float_sum = has_residual and residual is None
    inputs = [source, *step.inputs[1:]]
    taken = [before]
    if residual is not None and after is not None:
        inputs[1] = bench[residual].inputs[0]
        taken.append(residual)
    operators = tuple(operator for each in taken for operator in bench[each].operators)
    silent = tuple(operator.name for operator in operators)
    made = replace(
        step,
        operators=(*operators, *step.operators),
        inputs=tuple(inputs),
        precision=bench.type_of(source),
        facts={**step.facts, "silent": (*step.facts.get("silent", ()), *silent), "label": step.label},
    )
    _tell_input(bench, step, before)
    if after is not None and not is_float_sum:
        quantizer = bench[after]
        facts = {**made.facts, "silent": (*made.facts["silent"], *quantizer.origins)}
        made = replace(
            made,
            operators=(*made.operators, *quantizer.operators),
            outputs=quantizer.outputs,
            constants=(*made.constants, *quantizer.constants),
            facts=facts,
        )
        bench.merge((number, after), made)
        why = f"{quantizer.label} alone reads its output"
        if residual is not None:
            why += f", and the other operand of the addition is quantized by {bench[residual].label}"
        bench.decide(f"{step.label} writes {made.precision}", why, (*step.origins, *quantizer.origins))
    else:
        bench.replace(number, made)
        bench.decide(f"{step.label} writes floating point", _why_float(bench, step, after, is_float_sum), step.origins)
    for each in taken:
        drop_unread(bench, each)


def _tell_input(bench: Workbench, step: Step, before: int) -> None:
    dequantizer = bench[before]
    what = f"{step.label} reads and multiplies {bench.type_of(dequantizer.inputs[0])}"
    why = f"its weights are quantized, and {dequantizer.label} stands at its input"
    bench.decide(what, why, (*dequantizer.origins, *step.origins))


def _why_float(bench: Workbench, step: Step, after: int | None, is_float_sum: bool) -> str:
    if after is not None and is_float_sum:
        return f"it adds {step.inputs[1]} in floating point, so that {bench[after].label} stays a step of its own"
    output = step.outputs[0]
    if bench.is_result(output):
        return "the caller gets its output"
    readers = [bench[reader].label for reader in bench.readers(output)]
    if len(readers) == 1:
        return f"no quantizer follows it, but {readers[0]}"
    return f"its output is read in floating point as well: by {', '.join(readers[:4])}"


PASS = BuildPass("Quantized convolutions and products", 170, edit)
