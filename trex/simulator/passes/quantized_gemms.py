"""Runs convolutions and GEMMs in INT8 (or FP8) if both operands are quantized.

What it does: a step with quantized weights and a DequantizeLinear at its input reads the quantized tensor itself. If a
QuantizeLinear is the only reader of its output, it writes INT8 and the quantizer is removed; else it writes floats. A
convolution with a residual addition writes INT8 only if the other operand also comes from a dequantizer, which is then
removed as well.
The rule: explicit quantization, Q/DQ layer placement: DQ before and Q after a weighted layer are fused with it; the
output stays in floating point if no Q follows, or if an operand of the residual addition is in floating point, so the
trailing Q stays a layer
(https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
What it leaves out: inputs with a scale per channel, and weights of four bits, which are multiplied in floating point.
TensorRT 11 quantizes no transposed convolution, and no result in these layers (inferred from TensorRT for RTX).
"""

from __future__ import annotations

from dataclasses import replace

from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import has_weights
from trex.simulator.myelin import compiles_everything
from trex.simulator.quantizers import QUANTIZED, dequantizer_of, drop_unread, quantizer_after


def edit(editor: DraftEditor) -> None:
    for number in editor:
        if editor[number].precision.is_known:  # a quantized step has moved to its quantizer
            continue
        if compiles_everything(editor) and editor[number].kind is StepKind.DECONVOLUTION:
            continue
        if editor[number].facts.get("weights_type") in QUANTIZED and has_weights(editor[number]):
            _quantize(editor, number)


def _quantize(editor: DraftEditor, number: int) -> None:
    step = editor[number]
    before = dequantizer_of(editor, step.inputs[0])
    if before is None:
        what = f"{step.label} runs in floating point with dequantized weights"
        editor.decide(what, "no dequantizer with one scale writes its input", step.origins)
        return
    source = editor[before].inputs[0]
    has_residual = bool(step.facts.get("has_residual"))
    residual = dequantizer_of(editor, step.inputs[1]) if has_residual else None
    after = None if compiles_everything(editor) else quantizer_after(editor, number)
    has_float_residual = has_residual and residual is None
    inputs = [source, *step.inputs[1:]]
    taken = [before]
    if residual is not None and after is not None:
        inputs[1] = editor[residual].inputs[0]
        taken.append(residual)
    operators = tuple(operator for dequantizer in taken for operator in editor[dequantizer].operators)
    fused = replace(
        step,
        operators=(*operators, *step.operators),
        inputs=tuple(inputs),
        precision=editor.type_of(source),
        facts={**step.facts, "label": step.label},
    )
    _decide_input(editor, step, before)
    if after is not None and not has_float_residual:
        quantizer = editor[after]
        fused = replace(
            fused,
            operators=(*fused.operators, *quantizer.operators),
            outputs=quantizer.outputs,
            constants=(*fused.constants, *quantizer.constants),
        )
        editor.merge((number, after), fused)
        why = f"{quantizer.label} is the only reader of its output"
        if residual is not None:
            why += f", and the other operand of the addition is quantized by {editor[residual].label}"
        editor.decide(f"{step.label} writes {fused.precision}", why, (*step.origins, *quantizer.origins))
    else:
        editor.replace(number, fused)
        is_mixed = after is not None and has_float_residual
        why = f"it adds {step.inputs[1]} in floating point" if is_mixed else "no quantizer alone reads its output"
        editor.decide(f"{step.label} writes floating point", why, step.origins)
    for dequantizer in taken:
        drop_unread(editor, dequantizer)


def _decide_input(editor: DraftEditor, step: BuildStep, before: int) -> None:
    dequantizer = editor[before]
    what = f"{step.label} reads and multiplies {editor.type_of(dequantizer.inputs[0])}"
    why = f"its weights are quantized, and {dequantizer.label} writes its input"
    editor.decide(what, why, (*dequantizer.origins, *step.origins))


PASS = BuildPass("Quantized convolutions and GEMMs", 170, edit)
