"""Merges GEMMs of one input into one.

What it does: inside Myelin's parts, GEMMs that multiply the same tensor by stored weights, in the same types, become
one with all their columns, such as query, key and value of an attention, or gate and up of a gated MLP.
The rule: inferred from engines of TensorRT for RTX, which merge all of them (``…/value/MatMul+…/key/MatMul+…``), in
FP32, FP16 and INT8.
What it leaves out: GEMMs of two activations; those with a transposed input or a scale.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import weights_of
from trex.simulator.myelin import myelin_steps


def edit(editor: DraftEditor) -> None:
    groups: dict[Hashable, list[int]] = {}
    for number in sorted(myelin_steps(editor)):
        key = _key(editor, editor[number])
        if key is not None:
            groups.setdefault(key, []).append(number)
    for numbers in groups.values():
        if len(numbers) > 1:
            _merge(editor, numbers)


def _key(editor: DraftEditor, step: BuildStep) -> Hashable | None:
    main = step.main
    if main is None or step.kind is not StepKind.MATRIX_MULTIPLY or len(step.inputs) != 1:
        return None
    if main.attributes.get("transA") or weights_of(step) is None:
        return None
    shape = editor.shape_of(step.outputs[0])
    written = editor.type_of(step.outputs[0])
    return (step.inputs[0], main.type, None if shape is None else tuple(shape[:-1]), written, step.precision)


def _merge(editor: DraftEditor, numbers: list[int]) -> None:
    steps = [editor[number] for number in numbers]
    merged = replace(
        steps[0],
        operators=tuple(operator for step in steps for operator in step.operators),
        outputs=tuple(name for step in steps for name in step.outputs),
        constants=tuple(dict.fromkeys(name for step in steps for name in step.constants)),
        facts={**steps[0].facts, "merged": tuple(step.main for step in steps)},
    )
    for number in numbers[1:]:
        editor.remove(number)
    editor.replace(numbers[0], merged)
    names = " and ".join(step.main.name for step in steps if step.main is not None)
    editor.decide(f"{names} run as one GEMM", f"they multiply {merged.inputs[0]} by stored weights", merged.origins)


PASS = BuildPass("Merged GEMMs", 305, edit)
