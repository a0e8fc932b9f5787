"""Which steps Myelin, TensorRT's graph compiler, compiles: connected parts of a network around its GEMMs.

NVIDIA documents that Myelin compiles transformers, normalizations and adjacent layers since TensorRT 8, and that
convolutional networks run as TensorRT's own layers; the split of mixed networks is not published. The rule here:
connected operations other than convolutions, poolings and resizes form a part. Myelin compiles a part if it has a GEMM
(of two activations, or at release 10 and later any), an attention, a softmax or a normalization. TensorRT 11 leaves
everything to Myelin, convolutions and quantizers too; so does TensorRT for RTX, whose log says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor

MYELIN_KINDS = frozenset(
    {
        StepKind.ACTIVATION, StepKind.ATTENTION, StepKind.CAST, StepKind.CONCATENATION, StepKind.ELEMENTWISE,
        StepKind.GATHER, StepKind.MATRIX_MULTIPLY, StepKind.NORMALIZATION, StepKind.POINTWISE, StepKind.REDUCE,
        StepKind.REGION, StepKind.SCATTER, StepKind.SELECT, StepKind.SHUFFLE, StepKind.SLICE, StepKind.SOFTMAX,
        StepKind.TOP_K,
    }
)  # fmt: skip
_SEEDS = frozenset({StepKind.ATTENTION, StepKind.NORMALIZATION, StepKind.REGION})
_FIRST_FOR_ALL_GEMMS = 10
MYELIN_ALONE = (11, 0)
"""The first release that leaves all layers to Myelin."""


def myelin_parts(editor: DraftEditor, kinds: frozenset[StepKind] = MYELIN_KINDS) -> Iterator[list[int]]:
    """Numbers of the steps of each part that Myelin compiles, in order. kinds: of steps that can belong to one."""
    if compiles_everything(editor):
        yield list(editor)
        return
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
    """Numbers of all steps that Myelin compiles."""
    return frozenset(number for part in myelin_parts(editor) for number in part)


def compiles_everything(editor: DraftEditor) -> bool:
    return editor.draft.target.release.pair >= MYELIN_ALONE


def multiplies_activations(step: BuildStep) -> bool:
    """Whether both operands of a GEMM are computed at run time."""
    return step.kind is StepKind.MATRIX_MULTIPLY and len(step.inputs) > 1


def _is_seed(editor: DraftEditor, step: BuildStep) -> bool:
    if step.kind is StepKind.MATRIX_MULTIPLY:
        return multiplies_activations(step) or editor.draft.target.release.major >= _FIRST_FOR_ALL_GEMMS
    return step.kind in _SEEDS


def _neighbors(editor: DraftEditor, number: int) -> Iterator[int]:
    step = editor[number]
    for name in step.inputs:
        writer = editor.writer(name)
        if writer is not None:
            yield writer
    for name in step.outputs:
        yield from editor.readers(name)
