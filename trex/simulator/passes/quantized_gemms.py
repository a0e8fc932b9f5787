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

from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import has_weights
from trex.simulator.quantizers import QUANTIZED, dequantizer_of, drop_unread, quantizer_after


def edit(editor: DraftEditor) -> None:
    for number in list(editor):
        if number not in editor or editor[number].precision.is_known:  # one that was quantized stands at its quantizer
            continue
        if editor[number].facts.get("weights_type") in QUANTIZED and has_weights(editor[number]):
            _quantize(editor, number)


def _quantize(editor: DraftEditor, number: int) -> None:
    step = editor[number]
    before = dequantizer_of(editor, step.inputs[0])
    if before is None:
        what = f"{step.label} runs in floating point, its weights dequantized"
        editor.decide(what, "no dequantizer with one scale writes its input", step.origins)
        return
    source = editor[before].inputs[0]
    has_residual = bool(step.facts.get("has_residual"))
    residual = dequantizer_of(editor, step.inputs[1]) if has_residual else None
    after = quantizer_after(editor, number)
    is_float_sum = has_residual and residual is None
    inputs = [source, *step.inputs[1:]]
    taken = [before]
    if residual is not None and after is not None:
        inputs[1] = editor[residual].inputs[0]
        taken.append(residual)
    operators = tuple(operator for each in taken for operator in editor[each].operators)
    silent = tuple(operator.name for operator in operators)
    made = replace(
        step,
        operators=(*operators, *step.operators),
        inputs=tuple(inputs),
        precision=editor.type_of(source),
        facts={**step.facts, "silent": (*step.facts.get("silent", ()), *silent), "label": step.label},
    )
    _tell_input(editor, step, before)
    if after is not None and not is_float_sum:
        quantizer = editor[after]
        facts = {**made.facts, "silent": (*made.facts["silent"], *quantizer.origins)}
        made = replace(
            made,
            operators=(*made.operators, *quantizer.operators),
            outputs=quantizer.outputs,
            constants=(*made.constants, *quantizer.constants),
            facts=facts,
        )
        editor.merge((number, after), made)
        why = f"{quantizer.label} alone reads its output"
        if residual is not None:
            why += f", and the other operand of the addition is quantized by {editor[residual].label}"
        editor.decide(f"{step.label} writes {made.precision}", why, (*step.origins, *quantizer.origins))
    else:
        editor.replace(number, made)
        editor.decide(
            f"{step.label} writes floating point", _why_float(editor, step, after, is_float_sum), step.origins
        )
    for each in taken:
        drop_unread(editor, each)


def _tell_input(editor: DraftEditor, step: BuildStep, before: int) -> None:
    dequantizer = editor[before]
    what = f"{step.label} reads and multiplies {editor.type_of(dequantizer.inputs[0])}"
    why = f"its weights are quantized, and {dequantizer.label} stands at its input"
    editor.decide(what, why, (*dequantizer.origins, *step.origins))


def _why_float(editor: DraftEditor, step: BuildStep, after: int | None, is_float_sum: bool) -> str:
    if after is not None and is_float_sum:
        return f"it adds {step.inputs[1]} in floating point, so that {editor[after].label} stays a step of its own"
    output = step.outputs[0]
    if editor.is_result(output):
        return "the caller gets its output"
    readers = [editor[reader].label for reader in editor.readers(output)]
    if len(readers) == 1:
        return f"no quantizer follows it, but {readers[0]}"
    return f"its output is read in floating point as well: by {', '.join(readers[:4])}"


PASS = BuildPass("Quantized convolutions and products", 170, edit)
