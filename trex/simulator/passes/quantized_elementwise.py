"""Runs poolings and additions in INT8 between dequantizers and a quantizer.

What it does: an average pooling, or an addition or multiplication of two tensors, whose inputs all come from
dequantizers with one scale and whose only reader is a quantizer, reads and writes INT8; the quantizers are removed.
The rule: explicit quantization: quantizable layers are fused with DQ at their inputs and Q at their output; an average
pooling is the documents' own example
(https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html).
What it leaves out: such layers without a following quantizer, which run in floating point; max pooling, which commutes
with quantizers; FP8.
"""

from __future__ import annotations

from dataclasses import replace

from trex.core.data_type import DataType
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.myelin import MYELIN_ALONE
from trex.simulator.quantizers import dequantizer_of, drop_unread, quantizer_after

_POOLINGS = frozenset({"AveragePool", "GlobalAveragePool"})
_ELEMENTWISE = frozenset({"Add", "Sum", "Mul"})


def edit(editor: DraftEditor) -> None:
    for number in editor:
        if _is_able(editor[number]):
            _quantize(editor, number)


def _is_able(step: BuildStep) -> bool:
    if step.main is None or step.main.domain or step.constants or len(step.operators) != 1:
        return False
    return step.main.type in _POOLINGS or (step.main.type in _ELEMENTWISE and len(step.inputs) == 2)


def _quantize(editor: DraftEditor, number: int) -> None:
    step = editor[number]
    before = [dequantizer_of(editor, name) for name in step.inputs]
    taken = [dequantizer for dequantizer in before if dequantizer is not None]
    if not taken:
        return
    after = quantizer_after(editor, number)
    if after is None or len(taken) < len(before):
        why = "no quantizer is the only reader of its output" if after is None else "an operand is in floating point"
        editor.decide(f"{step.label} runs in floating point", why, step.origins)
        return
    dequantizers, quantizer = [editor[taken_number] for taken_number in taken], editor[after]
    if any(editor.type_of(dequantizer.inputs[0]) is not DataType.INT8 for dequantizer in dequantizers):
        return
    around = [*dequantizers, quantizer]
    fused = replace(
        step,
        operators=(
            *(operator for dequantizer in dequantizers for operator in dequantizer.operators),
            *step.operators,
            *quantizer.operators,
        ),
        inputs=tuple(dequantizer.inputs[0] for dequantizer in dequantizers),
        outputs=quantizer.outputs,
        constants=tuple(name for quantizer_step in around for name in quantizer_step.constants),
        precision=DataType.INT8,
        facts={**step.facts, "label": step.label},
    )
    editor.merge((number, after), fused)
    for taken_number in taken:
        drop_unread(editor, taken_number)
    names = ", ".join(quantizer_step.label for quantizer_step in around)
    editor.decide(f"{step.label} reads and writes INT8", f"it is between {names}", fused.origins)


PASS = BuildPass("Quantized poolings and additions", 180, edit, until=MYELIN_ALONE)
