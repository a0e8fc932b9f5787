"""Elides concatenations: the producers of the inputs write into the output.

What it does: a concatenation along the channels (or the first dimension that is not one) is elided: every input is
written directly into the output. An input that is an input of the network, that is read twice or that is shared is
copied first.
The rule: concatenation layers are eliminated by writing their inputs into the right part of one buffer
(https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/best-practices.html); verbose logs report
``Eliminating concatenation …`` and ``Generating copy for …``.
What it leaves out: concatenations along other dimensions, which interleave their inputs, with stored inputs, and those
with offsets that the producers' kernels cannot write in vectors of channels, which format selection decides.
"""

from __future__ import annotations

from dataclasses import replace

from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.myelin import MYELIN_ALONE
from trex.simulator.operator_attributes import integer


def edit(editor: DraftEditor) -> None:
    inputs = {value.name for value in editor.draft.model.inputs}
    placed: set[str] = set()
    for number in editor:
        step = editor[number]
        if not _is_able(editor, step):
            continue
        names = list(step.inputs)
        copied: list[str] = []
        for index, name in enumerate(names):
            is_taken = name in placed
            if name in inputs or is_taken or editor.is_result(name) or editor.writer(name) is None:
                copied.append(name)
                names[index] = _copy(editor, name, number)
            placed.add(names[index])
        editor.replace(number, replace(step, inputs=tuple(names), facts={**step.facts, "is_elided": True}))
        why = "its inputs are written into its output"
        if copied:
            why += f"; copied to it: {', '.join(copied)}"
        editor.decide(f"{step.label} was elided", why, step.origins)


def _is_able(editor: DraftEditor, step: BuildStep) -> bool:
    main = step.main
    if main is None or step.kind is not StepKind.CONCATENATION or step.constants or len(step.operators) != 1:
        return False
    shape = editor.shape_of(step.outputs[0])
    if shape is None or not shape:
        return False
    axis = integer(main, "axis", 0) % len(shape)
    return axis == 1 or all(size == 1 for size in shape[:axis])


def _copy(editor: DraftEditor, name: str, concatenation: int) -> str:
    copied = editor.add_tensor(name, f"{name}_copy")
    copy = BuildStep(StepKind.REFORMAT, (), None, (name,), (copied,), facts={"label": f"{name} copy"})
    editor.add(copy, neighbor=concatenation)
    return copied


PASS = BuildPass("Elided concatenations", 400, edit, until=MYELIN_ALONE)
