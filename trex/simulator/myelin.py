"""Which steps Myelin, TensorRT's graph compiler, takes in: connected parts of a network around its matrix products.

NVIDIA documents that transformers, normalizations and what surrounds them are myelin_steps by Myelin since TensorRT 8, and
convolutional networks run as TensorRT's own layers; which layer goes where in mixed networks is not published. The rule
here: operations other than convolutions, poolings and resizes that are connected with one another form a part, and a
part is Myelin's when it multiplies matrices (two activations, or at release 10 and later any), holds an attention, a
softmax or a normalization.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor

MYELIN_KINDS = frozenset(
    {
        StepKind.ACTIVATION, StepKind.ATTENTION, StepKind.CAST, StepKind.CONCATENATION, StepKind.ELEMENTWISE, StepKind.GATHER,
        StepKind.MATRIX_MULTIPLY, StepKind.NORMALIZATION, StepKind.POINTWISE, StepKind.REDUCE, StepKind.REGION, StepKind.SCATTER, StepKind.SELECT,
        StepKind.SHUFFLE, StepKind.SLICE, StepKind.SOFTMAX, StepKind.TOP_K,
    }
)  # fmt: skip
_SEEDS = frozenset({StepKind.ATTENTION, StepKind.NORMALIZATION, StepKind.REGION})
_FIRST_FOR_ALL_PRODUCTS = 10


def myelin_parts(editor: DraftEditor, kinds: frozenset[StepKind] = MYELIN_KINDS) -> Iterator[list[int]]:
    """Numbers of the steps of each part that Myelin takes in, in order. kinds: of steps that can belong to one."""
    seen: set[int] = set()
    for start in editor:
        if start in seen or editor[start].kind not in kinds:
            continue
        part, waiting = [], [start]
        seen.add(start)
        while waiting:
            number = waiting.pop()
            part.append(number)
            for other in _neighbors(editor, number):
                if other not in seen and editor[other].kind in kinds:
                    seen.add(other)
                    waiting.append(other)
        if any(_is_seed(editor, editor[number]) for number in part):
            yield sorted(part)


def myelin_steps(editor: DraftEditor) -> frozenset[int]:
    """Numbers of all steps that Myelin takes in."""
    return frozenset(number for part in myelin_parts(editor) for number in part)


def multiplies_activations(step: BuildStep) -> bool:
    """Whether both operands of a matrix product are computed while the engine runs."""
    return step.kind is StepKind.MATRIX_MULTIPLY and len(step.inputs) > 1


def _is_seed(editor: DraftEditor, step: BuildStep) -> bool:
    if step.kind is StepKind.MATRIX_MULTIPLY:
        return multiplies_activations(step) or editor.draft.target.release.major >= _FIRST_FOR_ALL_PRODUCTS
    return step.kind in _SEEDS


def _neighbors(editor: DraftEditor, number: int) -> Iterator[int]:
    step = editor[number]
    for name in step.inputs:
        writer = editor.writer(name)
        if writer is not None:
            yield writer
    for name in step.outputs:
        yield from editor.readers(name)
