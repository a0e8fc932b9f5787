"""Fuses bias and activation into the preceding GEMM.

What it does: inside Myelin's parts, a GEMM with stored weights takes over the following addition of a stored bias, and
then a ReLU, a GELU operator or a Tanh.
The rule: cuBLASLt's kernels, which Myelin uses, compute bias, ReLU and GELU in their epilogue. Source: cuBLAS library
documentation, cublasLtEpilogue_t; TensorRT Developer Guide, Layer Fusion (fully connected layers with activation).
What it leaves out: a GELU of Div, Erf, Add and two Mul stays a separate generated kernel.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import follower, fuse
from trex.simulator.myelin import multiplies_activations, myelin_steps

_ACTIVATIONS = {"Relu": "RELU", "Gelu": "GELU", "Tanh": "TANH"}
_WHY = "the GEMM kernel's epilogue (cublasLtEpilogue_t)"


def edit(editor: DraftEditor) -> None:
    for number in sorted(myelin_steps(editor)):
        if number not in editor or editor[number].kind is not StepKind.MATRIX_MULTIPLY:
            continue
        if multiplies_activations(editor[number]):
            continue
        gemm = number
        after = follower(editor, gemm)
        if after is not None and _adds_stored(editor[after]) and not editor[gemm].facts.get("bias"):
            _decide(editor, gemm, after)
            gemm = fuse(editor, gemm, after, bias=True)
            after = follower(editor, gemm)
        if after is not None and editor[after].kind is StepKind.ACTIVATION:
            word = _ACTIVATIONS.get(_type(editor[after]))
            if word:
                _decide(editor, gemm, after)
                fuse(editor, gemm, after, activation=word)


def _decide(editor: DraftEditor, gemm: int, after: int) -> None:
    names = (*editor[gemm].origins, *editor[after].origins)
    editor.decide(f"{editor[after].origins[0]} is fused into {editor[gemm].origins[0]}", _WHY, names)


def _adds_stored(step: BuildStep) -> bool:
    return step.kind is StepKind.ELEMENTWISE and _type(step) == "Add" and len(step.inputs) == 1 and bool(step.constants)


def _type(step: BuildStep) -> str:
    return "" if step.main is None else step.main.type


PASS = BuildPass("GEMM epilogues", 310, edit)
