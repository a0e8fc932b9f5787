"""Merges GEMMs of one input into one.

What it does: inside Myelin's parts, GEMMs that multiply the same tensor by stored weights, in the same types, become
one with all their columns, such as query, key and value of an attention, or gate and up of a gated MLP. A GEMM whose
columns are only split into heads writes the parts, and the bias is added to each.
The rule: inferred from engines of TensorRT for RTX, which merge all of them (``…/value/MatMul+…/key/MatMul+…``), in
FP32, FP16 and INT8.
What it leaves out: GEMMs of two activations; those with a transposed input or a scale.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from itertools import pairwise

from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import groups_by_key, weights_of
from trex.simulator.myelin import myelin_steps
from trex.simulator.operator_attributes import integer

_FEWEST_PARTS = 2


def edit(editor: DraftEditor) -> None:
    for number in sorted(myelin_steps(editor)):
        if number in editor and editor[number].main is not None and _types(editor[number]) == {"Split"}:
            _split(editor, number)
    for numbers in groups_by_key(editor, sorted(myelin_steps(editor)), _key):
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


def _types(step: BuildStep) -> set[str]:
    return {operator.type for operator in step.operators}


def _split(editor: DraftEditor, number: int) -> None:
    """A GEMM whose columns are split into heads writes its parts; each part adds its share of the bias."""
    split = editor[number]
    rank = len(editor.shape_of(split.inputs[0]) or ()) if split.inputs else 0
    main = split.main
    if main is None or not rank or integer(main, "axis", 0) % rank != rank - 1 or len(split.outputs) < _FEWEST_PARTS:
        return
    readers = [editor[reader] for name in split.outputs for reader in editor.readers(name)]
    if any(reader.kind is not StepKind.SHUFFLE for reader in readers):
        return
    above = editor.writer(split.inputs[0])
    bias = None
    if above is not None and _types(editor[above]) == {"Add"} and len(editor[above].inputs) == 1:
        bias, above = above, editor.writer(editor[above].inputs[0])
    if above is None or editor[above].kind is not StepKind.MATRIX_MULTIPLY or _key(editor, editor[above]) is None:
        return
    chain = (above, number) if bias is None else (above, bias, number)
    if any(editor.only_reader(editor[one].outputs[0]) != other for one, other in pairwise(chain)):
        return
    gemm = editor[above]
    parts = split.outputs
    if bias is not None:
        added = editor[bias]
        parts = tuple(editor.add_tensor(name, f"{name}_before_bias") for name in split.outputs)
        for part, name in zip(parts, split.outputs, strict=True):
            editor.add(replace(added, inputs=(part,), outputs=(name,)), neighbor=number)
        editor.remove(bias)
    editor.remove(number)
    editor.replace(above, replace(gemm, outputs=parts, facts={**gemm.facts, "merged": (gemm.main,) * len(parts)}))
    editor.decide(f"{gemm.label} writes {len(parts)} tensors", "its columns are only split into heads", split.origins)


PASS = BuildPass("Merged GEMMs", 305, edit)
