"""Fusion of steps: a step takes over its only reader, or several steps become one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from trex.core.shape import Shape
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.operator_attributes import integer

WEIGHTED = frozenset({StepKind.CONVOLUTION, StepKind.DECONVOLUTION, StepKind.MATRIX_MULTIPLY})
"""Kinds that multiply by weights; a GEMM only if one operand is stored."""
_RESHAPES = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze"})


def follower(editor: DraftEditor, number: int) -> int | None:
    """The one step that reads a step's only output, if nothing else needs it."""
    outputs = editor[number].outputs
    return editor.only_reader(outputs[0]) if len(outputs) == 1 else None


def groups_by_key(
    editor: DraftEditor, numbers: Iterable[int], key: Callable[[DraftEditor, BuildStep], Hashable | None]
) -> list[list[int]]:
    """Groups of at least two steps with equal keys, in order of their first; a step without a key is in none."""
    groups: dict[Hashable, list[int]] = {}
    for number in numbers:
        if (value := key(editor, editor[number])) is not None:
            groups.setdefault(value, []).append(number)
    return [group for group in groups.values() if len(group) > 1]


def fuse(editor: DraftEditor, first: int, *others: int, label: str | None = None, **facts: Any) -> int:
    """The first step with the operators of the others; the last of them writes the output.

    label: the others' part of the name, by default their own labels, "" to omit them. facts: new facts of the first
    step. Returns the number of the fused step.
    """
    one, more = editor[first], [editor[number] for number in others]
    group = (one, *more)
    written = {name for step in group for name in step.outputs}
    if label is None:
        label = joined(*(step.label for step in more))
    fused = replace(
        one,
        operators=tuple(operator for step in group for operator in step.operators),
        inputs=tuple(name for step in group for name in step.inputs if name not in written),
        outputs=more[-1].outputs,
        constants=tuple(dict.fromkeys(name for step in group for name in step.constants)),
        facts={**one.facts, **facts, "label": joined(one.label, label)},
    )
    return editor.merge((first, *others), fused)


def as_one_step(editor: DraftEditor, numbers: Sequence[int], kind: StepKind, **facts: Any) -> BuildStep | None:
    """Several steps as one of another kind, to be merged; None if nothing needs their outputs.

    It reads each outside tensor once, and writes what is read outside or is an output of the network. Its main operator
    and precision are those of the first; it has only the given facts.
    """
    steps = [editor[number] for number in numbers]
    inside = set(numbers)
    written = {name for step in steps for name in step.outputs}
    outputs = tuple(
        name
        for step in steps
        for name in step.outputs
        if editor.is_result(name) or any(reader not in inside for reader in editor.readers(name))
    )
    if not outputs:
        return None
    return replace(
        steps[0],
        kind=kind,
        operators=tuple(operator for step in steps for operator in step.operators),
        inputs=tuple(dict.fromkeys(name for step in steps for name in step.inputs if name not in written)),
        outputs=outputs,
        constants=tuple(dict.fromkeys(name for step in steps for name in step.constants)),
        facts=facts,
    )


def joined(*parts: str) -> str:
    """Parts of a name as TensorRT joins them, without empty ones."""
    return " + ".join(filter(None, parts))


def has_weights(step: BuildStep) -> bool:
    """Whether a step multiplies by stored weights."""
    return step.kind in WEIGHTED and step.main is not None and weights_of(step) is not None


def weights_of(step: BuildStep) -> str | None:
    """The stored value that a convolution or a GEMM multiplies by, as its operator reads it."""
    main = step.main
    if main is None:
        return None
    stored = set(step.constants)
    if step.kind in (StepKind.CONVOLUTION, StepKind.DECONVOLUTION):
        candidates = main.inputs[1:2]
    elif main.type in ("MatMul", "Gemm"):
        candidates = main.inputs[1::-1]
    else:
        candidates = ()
    return next((name for name in candidates if name in stored), None)


def groups_of(step: BuildStep) -> int:
    return integer(step.main, "group", 1)


def channels_of(shape: Shape | None) -> int | None:
    """Size of the second dimension; None if unknown."""
    return shape[1] if shape is not None and len(shape) > 1 else None


def is_depthwise(editor: DraftEditor, step: BuildStep) -> bool:
    """Whether every channel has its own filter."""
    groups = groups_of(step)
    return groups > 1 and groups == channels_of(editor.shape_of(step.inputs[0]) if step.inputs else None)


def is_reshape(step: BuildStep) -> bool:
    """Whether a step keeps the order of the values and only changes the dimensions."""
    if step.kind is not StepKind.SHUFFLE or len(step.inputs) != 1:
        return False
    return bool(step.facts.get("is_reshape")) or all(operator.type in _RESHAPES for operator in step.operators)
