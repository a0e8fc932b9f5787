"""Removes steps without effect: Identity, Dropout, casts, reshapes and pads.

What it does: a step whose output equals its input is bypassed; the readers of the output read the input.
The rule: TensorRT's layer fusion catalog (identity layers are eliminated, scales that multiply by one and add nothing
are erased; https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html); dropout does nothing
at inference.
What it leaves out: a copy from an input of the network to its output, or to two outputs, which is needed; steps of
dynamic shapes, whose effect is unknown; dropout whose mask is read.
"""

from __future__ import annotations

from trex.core.operator import Operator
from trex.core.shape import is_static
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.operator_attributes import integers

_ONE_OPERAND = frozenset({"Concat", "Sum", "Max", "Min", "Mean"})
_RESHAPES = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand", "Tile", "Slice", "Pad"})
_SAME_BY_SHAPE = _ONE_OPERAND | _RESHAPES
_NEUTRAL = {"Add": 0, "Sub": 0, "Mul": 1, "Div": 1}


def edit(editor: DraftEditor) -> None:
    for number in editor:
        step = editor[number]
        reason = _reason(editor, step)
        if reason and editor.bypass(number):
            editor.decide(f"{step.label} was removed", reason, step.origins)


def _reason(editor: DraftEditor, step: BuildStep) -> str:
    main = step.main
    if main is None or main.domain or not step.inputs or not step.outputs:
        return ""
    if main.type == "Identity":
        return "it passes its input through"
    if main.type == "Dropout":
        return "" if any(map(editor.readers, step.outputs[1:])) else "dropout does nothing at inference"
    if main.type == "Cast":
        same = editor.type_of(step.inputs[0]) is editor.type_of(step.outputs[0])
        return "it casts to the existing type" if same and editor.type_of(step.outputs[0]).is_known else ""
    if len(step.inputs) != 1 or main.inputs[:1] != step.inputs:
        return ""
    before, after = editor.shape_of(step.inputs[0]), editor.shape_of(step.outputs[0])
    if before != after or not is_static(before):
        return ""
    return _without_effect(editor, main)


def _without_effect(editor: DraftEditor, main: Operator) -> str:
    """Why an operator with one input that is no constant, and an output of its shape, has no effect."""
    if main.type == "Transpose":
        order = integers(main, "perm")
        is_kept = order != () and list(order) == sorted(order)
        return "it keeps the order of the dimensions" if is_kept else ""
    if main.type in _NEUTRAL:
        return "it changes no value" if _numbers(editor, main, 1) == {_NEUTRAL[main.type]} else ""
    if main.type not in _SAME_BY_SHAPE or (main.type in _ONE_OPERAND and len(main.inputs) > 1):
        return ""
    if main.type == "Slice" and len(main.inputs) > 4 and _numbers(editor, main, 4) != {1}:
        return ""
    return "its output has the shape and the values of its input"


def _numbers(editor: DraftEditor, main: Operator, index: int) -> set[float]:
    """The distinct values of a stored input; empty if unknown."""
    value = editor.draft.model.value(main.inputs[index]) if len(main.inputs) > index else None
    return set() if value is None or value.numbers is None else set(value.numbers)


PASS = BuildPass("Layers without effect", 10, edit)
