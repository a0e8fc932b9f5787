"""Pointwise operations that follow one another become one kernel.

What it does: outside of Myelin's parts, an elementwise operation or activation takes over the one before it when it
alone reads that one's result, both go over as many values, and both are in floating point.
The rule: adjacent pointwise layers are fused into one pointwise layer, which is told as ``PWN(…)`` (TensorRT Developer
Guide, Layer Fusion: PointWise fusion).
What it leaves out: how many operations and inputs one kernel takes at most is not published; here it is 32 and 8.
Operations on integers, of shapes for instance, stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from trex.simulator.build_pass import BuildPass
from trex.simulator.compiled import compiled
from trex.simulator.draft import Kind, Step
from trex.simulator.workbench import Workbench

_FUSED = frozenset({Kind.ACTIVATION, Kind.ELEMENTWISE, Kind.POINTWISE})
_MOST_OPERATIONS, _MOST_INPUTS = 32, 8


def edit(bench: Workbench) -> None:
    apart = compiled(bench)
    for number in bench:
        if number in bench and number not in apart and _is_pointwise(bench, bench[number]):
            _take_those_before(bench, number)


def _take_those_before(bench: Workbench, number: int) -> None:
    """Steps come in the order in which they run, so that those before have taken what was before them."""
    for name in bench[number].inputs:
        before = bench.writer(name)
        if before is None or bench.only_reader(name) != number or not _is_pointwise(bench, bench[before]):
            continue
        made = _joined(bench[before], bench[number])
        if len(made.operators) <= _MOST_OPERATIONS and len(made.inputs) <= _MOST_INPUTS and _alike(bench, made, name):
            bench.decide(
                f"{bench[before].label} and {bench[number].label} become one kernel",
                "both are pointwise, and nobody else reads what is between them",
                made.origins,
            )
            bench.remove(before)
            bench.replace(number, made)


def _is_pointwise(bench: Workbench, step: Step) -> bool:
    return step.kind in _FUSED and len(step.outputs) == 1 and bench.type_of(step.outputs[0]).is_float


def _alike(bench: Workbench, made: Step, between: str) -> bool:
    """Whether the step's result has as many values as the tensor that vanishes."""
    shapes = bench.shape_of(made.outputs[0]), bench.shape_of(between)
    sizes = [None if shape is None or None in shape else prod(size or 0 for size in shape) for shape in shapes]
    return sizes[0] is not None and sizes[0] == sizes[1]


def _joined(before: Step, step: Step) -> Step:
    inputs = dict.fromkeys((*before.inputs, *(name for name in step.inputs if name not in before.outputs)))
    return replace(
        step,
        kind=Kind.POINTWISE,
        operators=(*before.operators, *step.operators),
        inputs=tuple(inputs),
        constants=tuple(dict.fromkeys((*before.constants, *step.constants))),
        facts={"label": f"PWN({_wrapped(before)}, {step.label})"},
    )


def _wrapped(step: Step) -> str:
    """``PWN(Sigmoid_94)``: a single operation is told as a kernel, too."""
    return step.label if step.label.startswith("PWN(") else f"PWN({step.label})"


PASS = BuildPass("Pointwise fusion", 230, edit)
