"""Fuses consecutive pointwise operations into one kernel.

What it does: outside of Myelin's parts, an elementwise operation or activation takes over its producer if it is the
only reader, both have as many values, and both are in floating point.
The rule: adjacent pointwise layers are fused into one pointwise layer, named ``PWN(…)`` (TensorRT Developer Guide,
Layer Fusion: PointWise fusion).
What it leaves out: the limits of operations and inputs of one kernel are not published; here they are 32 and 8.
Operations on integers, of shapes for instance, stay unchanged.
"""

from __future__ import annotations

from dataclasses import replace

from trex.core.shape import volume
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.myelin import MYELIN_ALONE, myelin_steps

_FUSED = frozenset({StepKind.ACTIVATION, StepKind.ELEMENTWISE, StepKind.POINTWISE})
_MOST_OPERATIONS, _MOST_INPUTS = 32, 8


def edit(editor: DraftEditor) -> None:
    apart = myelin_steps(editor)
    for number in editor:
        if number not in apart and _is_pointwise(editor, editor[number]):
            _fuse_producers(editor, number)


def _fuse_producers(editor: DraftEditor, number: int) -> None:
    """Steps come in execution order, so the producers have already taken over theirs."""
    if len(set(editor[number].inputs)) > _MOST_INPUTS + 1:  # a producer takes the place of one input
        return
    for name in editor[number].inputs:
        before = editor.writer(name)
        if before is None or editor.only_reader(name) != number or not _is_pointwise(editor, editor[before]):
            continue
        fused = _joined(editor[before], editor[number])
        if (
            len(fused.operators) <= _MOST_OPERATIONS
            and len(fused.inputs) <= _MOST_INPUTS
            and _has_equal_size(editor, fused, name)
        ):
            editor.decide(
                f"{editor[before].label} and {editor[number].label} become one kernel",
                "both are pointwise, and nothing else reads the tensor between them",
                fused.origins,
            )
            editor.remove(before)
            editor.replace(number, fused)


def _is_pointwise(editor: DraftEditor, step: BuildStep) -> bool:
    return step.kind in _FUSED and len(step.outputs) == 1 and editor.type_of(step.outputs[0]).is_float


def _has_equal_size(editor: DraftEditor, fused: BuildStep, between: str) -> bool:
    """Whether the step's result has as many values as the fused tensor."""
    size = volume(editor.shape_of(fused.outputs[0]))
    return size is not None and size == volume(editor.shape_of(between))


def _joined(before: BuildStep, step: BuildStep) -> BuildStep:
    inputs = dict.fromkeys((*before.inputs, *(name for name in step.inputs if name not in before.outputs)))
    return replace(
        step,
        kind=StepKind.POINTWISE,
        operators=(*before.operators, *step.operators),
        inputs=tuple(inputs),
        constants=tuple(dict.fromkeys((*before.constants, *step.constants))),
        facts={"label": f"PWN({_wrapped(before)}, {step.label})"},
    )


def _wrapped(step: BuildStep) -> str:
    """``PWN(Sigmoid_94)``: the form of a single operation in a kernel's name."""
    return step.label if step.label.startswith("PWN(") else f"PWN({step.label})"


PASS = BuildPass("Pointwise fusion", 230, edit, until=MYELIN_ALONE)
