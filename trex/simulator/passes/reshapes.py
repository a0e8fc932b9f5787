"""Merges consecutive reshapes.

What it does: two reshapes become one if the second is the only reader of the first, and none if the last shape is the
first; the same for transposes that cancel.
The rule: "shuffle and shuffle" in TensorRT's layer fusion catalog
(https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html).
What it leaves out: transposes adjacent to reshapes, unless the transpose moves no values.
"""

from __future__ import annotations

from dataclasses import replace

from trex.core.shape import is_static
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import is_reshape, joined
from trex.simulator.operator_attributes import integers


def edit(editor: DraftEditor) -> None:
    for number in reversed(range(editor.count)):
        if number in editor and editor[number].kind is StepKind.SHUFFLE and len(editor[number].inputs) == 1:
            _join_with_before(editor, number)


def _join_with_before(editor: DraftEditor, number: int) -> None:
    """Reshapes in a row become one at once: there may be thousands."""
    last = editor[number]
    numbers = [number]
    while (before := editor.writer(editor[numbers[-1]].inputs[0])) is not None:
        first, second = editor[before], editor[numbers[-1]]
        if editor.only_reader(first.outputs[0]) != numbers[-1] or len(first.inputs) != 1:
            break
        if not (is_reshape(first) and is_reshape(second)):
            if len(numbers) == 1 and _undo(first, second):
                numbers.append(before)
            break
        numbers.append(before)
    if len(numbers) > 1:
        steps = [editor[member] for member in reversed(numbers)]
        whole = replace(
            last,
            operators=tuple(operator for step in steps for operator in step.operators),
            main=next((step.main for step in reversed(steps) if step.main is not None), None),
            inputs=steps[0].inputs,
            constants=tuple(name for step in steps for name in step.constants),
            facts={"label": joined(*(step.label for step in steps)), "is_reshape": is_reshape(last)},
        )
        names = " and ".join(step.label for step in steps)
        number = editor.merge(numbers, whole)
        editor.decide(f"{names} became one", "they are adjacent", whole.origins)
    _remove_if_unneeded(editor, number)


def _remove_if_unneeded(editor: DraftEditor, number: int) -> None:
    step = editor[number]
    shape = editor.shape_of(step.inputs[0])
    is_same = is_static(shape) and shape == editor.shape_of(step.outputs[0])
    is_undone = "is_reshape" in step.facts and len(step.operators) == 2
    if is_same and (is_reshape(step) or is_undone) and editor.bypass(number):
        editor.decide(f"{step.label} was removed", "its output has the shape of its input", step.origins)


def _undo(first: BuildStep, second: BuildStep) -> bool:
    mains = (first.main, second.main)
    if any(len(step.operators) != 1 for step in (first, second)):
        return False
    if mains[0] is None or mains[1] is None or not mains[0].type == mains[1].type == "Transpose":
        return False
    one, two = integers(mains[0], "perm"), integers(mains[1], "perm")
    return len(one) == len(two) > 0 and all(one[axis] == at for at, axis in enumerate(two))


PASS = BuildPass("Reshapes", 220, edit)
