"""Bias and activation join the matrix product before them.

What it does: inside Myelin's parts, a matrix product with stored weights takes in the addition of a stored bias behind
it, and then a ReLU, a GELU operator or a Tanh.
The rule: cuBLASLt's kernels, which Myelin uses, compute bias, ReLU and GELU in their epilogue. Source: cuBLAS library
documentation, cublasLtEpilogue_t; TensorRT Developer Guide, Layer Fusion (fully connected layers with activation).
What it leaves out: a GELU that is written as Div, Erf, Add and two Mul stays a generated kernel of its own.
"""

from __future__ import annotations

from trex.simulator.build_pass import BuildPass
from trex.simulator.compiled import compiled, multiplies_activations
from trex.simulator.draft import Kind, Step
from trex.simulator.fusing import follower, fuse
from trex.simulator.workbench import Workbench

_ACTIVATIONS = {"Relu": "RELU", "Gelu": "GELU", "Tanh": "TANH"}
_WHY = "the product's kernel computes it before it writes (cublasLtEpilogue_t)"


def edit(bench: Workbench) -> None:
    for number in sorted(compiled(bench)):
        if number not in bench or bench[number].kind is not Kind.MATRIX_MULTIPLY:
            continue
        if multiplies_activations(bench[number]):
            continue
        place = number
        after = follower(bench, place)
        if after is not None and _adds_stored(bench[after]) and not bench[place].facts.get("bias"):
            _decide(bench, place, after)
            place = fuse(bench, place, after, bias=True)
            after = follower(bench, place)
        if after is not None and bench[after].kind is Kind.ACTIVATION:
            word = _ACTIVATIONS.get(_type(bench[after]))
            if word:
                _decide(bench, place, after)
                fuse(bench, place, after, activation=word)


def _decide(bench: Workbench, product: int, after: int) -> None:
    names = (*bench[product].origins, *bench[after].origins)
    bench.decide(f"{bench[after].origins[0]} joins {bench[product].origins[0]}", _WHY, names)


def _adds_stored(step: Step) -> bool:
    return step.kind is Kind.ELEMENTWISE and _type(step) == "Add" and len(step.inputs) == 1 and bool(step.constants)


def _type(step: Step) -> str:
    return "" if step.main is None else step.main.type


PASS = BuildPass("Epilogues of matrix products", 310, edit)
