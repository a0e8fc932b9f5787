"""Bias and activation join the matrix product before them.

What it does: inside Myelin's parts, a matrix product with stored weights takes in the addition of a stored bias behind
it, and then a ReLU, a GELU operator or a Tanh.
The rule: cuBLASLt's kernels, which Myelin uses, compute bias, ReLU and GELU in their epilogue. Source: cuBLAS library
documentation, cublasLtEpilogue_t; TensorRT Developer Guide, Layer Fusion (fully connected layers with activation).
What it leaves out: a GELU that is written as Div, Erf, Add and two Mul stays a generated kernel of its own.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import follower, fuse
from trex.simulator.myelin import multiplies_activations, myelin_steps

_ACTIVATIONS = {"Relu": "RELU", "Gelu": "GELU", "Tanh": "TANH"}
_WHY = "the product's kernel computes it before it writes (cublasLtEpilogue_t)"


def edit(editor: DraftEditor) -> None:
    for number in sorted(myelin_steps(editor)):
        if number not in editor or editor[number].kind is not StepKind.MATRIX_MULTIPLY:
            continue
        if multiplies_activations(editor[number]):
            continue
        place = number
        after = follower(editor, place)
        if after is not None and _adds_stored(editor[after]) and not editor[place].facts.get("bias"):
            _decide(editor, place, after)
            place = fuse(editor, place, after, bias=True)
            after = follower(editor, place)
        if after is not None and editor[after].kind is StepKind.ACTIVATION:
            word = _ACTIVATIONS.get(_type(editor[after]))
            if word:
                _decide(editor, place, after)
                fuse(editor, place, after, activation=word)


def _decide(editor: DraftEditor, product: int, after: int) -> None:
    names = (*editor[product].origins, *editor[after].origins)
    editor.decide(f"{editor[after].origins[0]} joins {editor[product].origins[0]}", _WHY, names)


def _adds_stored(step: BuildStep) -> bool:
    return step.kind is StepKind.ELEMENTWISE and _type(step) == "Add" and len(step.inputs) == 1 and bool(step.constants)


def _type(step: BuildStep) -> str:
    return "" if step.main is None else step.main.type


PASS = BuildPass("Epilogues of matrix products", 310, edit)
