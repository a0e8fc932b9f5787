"""Separates the scales of quantized convolutions and GEMMs, and the biases of Gemm operators.

What it does: a convolution or GEMM that multiplies INT8 writes its sums; a following operation multiplies them by the
scales of input and weights and adds the bias, as part of the next kernel. The bias of a Gemm operator in floating point
also becomes an operation that follows.
The rule: inferred from engines of TensorRT for RTX: kernels such as ``__myl_MulAddReluMulMinMaxRounCast`` after each
INT8 convolution, with the convolution among their ONNX nodes if it has a bias, and a GEMM always;
``__myl_AddMaxrSubExpSumDiv`` with the Gemm before a softmax.
What it leaves out: FP8 and INT4, which no engine at hand has.
"""

from __future__ import annotations

from dataclasses import replace

from trex.core.data_type import DataType
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.myelin import MYELIN_ALONE

_SCALED = frozenset({StepKind.CONVOLUTION, StepKind.DECONVOLUTION, StepKind.MATRIX_MULTIPLY})
_BIASED = 3


def edit(editor: DraftEditor) -> None:
    for number in editor:
        step = editor[number]
        if step.kind not in _SCALED or step.main is None:
            continue
        is_scaled = step.precision is DataType.INT8
        if not is_scaled and (step.main.type != "Gemm" or len(step.main.inputs) < _BIASED):
            continue
        mains = step.facts.get("merged", (step.main,))
        sums = []
        for main, name in zip(mains, step.outputs, strict=True):
            sums.append(editor.add_tensor(name, f"{name}_sums"))
            is_listed = step.kind is StepKind.MATRIX_MULTIPLY or len(main.inputs) >= _BIASED
            scale = BuildStep(
                StepKind.ELEMENTWISE, (main,) if is_listed else (), None, (sums[-1],), (name,),
                facts={"label": f"{main.name} scale"},
            )  # fmt: skip
            editor.add(scale, neighbor=number)
        editor.replace(number, replace(step, outputs=tuple(sums)))
        if is_scaled:
            editor.decide(f"{step.label} writes its sums", "the next kernel scales and quantizes them", step.origins)


PASS = BuildPass("Scales and biases of results", 307, edit, since=MYELIN_ALONE)
