"""Fuses operations between GEMMs into generated kernels.

What it does: inside Myelin's parts, consecutive pointwise operations, reductions, softmaxes, normalizations, casts,
slices, gathers and reshapes become one kernel, with at most two reductions; reshapes alone launch nothing.
The rule: Myelin fuses chains of such operations into kernels that it generates. Source: TensorRT Developer Guide, Layer
Fusion and Types of Fusions (pointwise fusion, reduce fusions, GELU, softmax, normalization); that several reductions
over the same axis share a kernel was inferred from names such as ``__myl_MeanSubMulMeanAddSqrtDivMulAdd``.
What it leaves out: how Myelin splits a chain that is too large for registers or shared memory is not published; here a
kernel ends before a third reduction, before another axis, and where the number of values changes other than by
reduction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from trex.core.shape import volume
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import as_one_step
from trex.simulator.myelin import myelin_parts

_REDUCING: Mapping[StepKind, int] = {StepKind.REDUCE: 1, StepKind.SOFTMAX: 2, StepKind.NORMALIZATION: 2}
_FUSED = frozenset(
    {
        StepKind.ACTIVATION, StepKind.CAST, StepKind.ELEMENTWISE, StepKind.GATHER, StepKind.NORMALIZATION,
        StepKind.POINTWISE, StepKind.REDUCE, StepKind.SELECT, StepKind.SHUFFLE, StepKind.SLICE, StepKind.SOFTMAX,
    }
)  # fmt: skip
_MOST_REDUCTIONS = 2
_WHY = "Myelin generates one kernel for a chain of such operations"


@dataclass
class _KernelGroup:
    """Steps of one kernel. values: number of values it iterates over, None if unknown. part: −1 outside of Myelin's
    parts.
    """

    values: int | None
    part: int
    members: list[int] = field(default_factory=list)
    reductions: int = 0
    has_work: bool = False


def edit(editor: DraftEditor) -> None:
    for group in _groups(editor):
        _make(editor, group)


def _groups(editor: DraftEditor) -> list[_KernelGroup]:
    """Kernels of Myelin's parts. Every step, also outside of parts, belongs to a group, in execution order; a step
    joins the latest group that it reads from or none, so no kernel waits for results that depend on its own.
    """
    part_of = {number: index for index, part in enumerate(myelin_parts(editor)) for number in part}
    groups: list[_KernelGroup] = []
    group_of: dict[str, int] = {}
    for number in editor:
        step = editor[number]
        latest = max((group_of[name] for name in step.inputs if name in group_of), default=-1)
        values = _values(editor, step)
        group = groups[latest] if latest >= 0 else None
        is_fused = step.kind in _FUSED and number in part_of
        if group is None or not is_fused or group.part != part_of[number] or not _takes(group, step, values):
            groups.append(group := _KernelGroup(values, part_of[number] if is_fused else -1))
            latest = len(groups) - 1
        group.members.append(number)
        group.reductions += _REDUCING.get(step.kind, 0)
        group.has_work |= step.kind is not StepKind.SHUFFLE or _moves(step)
        group_of.update(dict.fromkeys(step.outputs, latest))
    return [group for group in groups if group.part >= 0]


def _takes(group: _KernelGroup, step: BuildStep, values: int | None) -> bool:
    if group.reductions + _REDUCING.get(step.kind, 0) > _MOST_REDUCTIONS:
        return False
    if step.kind is StepKind.SHUFFLE and _moves(step) and group.reductions:
        return False
    return values is not None and group.values is not None and values <= group.values


def _make(editor: DraftEditor, group: _KernelGroup) -> None:
    kernel = as_one_step(editor, group.members, StepKind.REGION)
    if kernel is None:  # nothing reads it
        return
    if not group.has_work:
        for number in group.members:
            editor.replace(number, replace(editor[number], kind=StepKind.IDENTITY))
        return
    editor.merge(group.members, kernel)
    if len(group.members) > 1:
        what = f"{len(group.members)} operations from {kernel.origins[0]} on become one kernel"
        editor.decide(what, _WHY, kernel.origins)


def _values(editor: DraftEditor, step: BuildStep) -> int | None:
    """Number of values that a step iterates over: those of its largest tensor."""
    names = step.outputs if step.kind in (StepKind.GATHER, StepKind.SLICE) else (*step.inputs, *step.outputs)
    sizes = [volume(editor.shape_of(name)) for name in names]
    known = [size for size in sizes if size is not None]
    return max(known, default=None) if len(known) == len(sizes) else None


def _moves(step: BuildStep) -> bool:
    """Whether a shuffle changes the order of bytes; a reshape does not."""
    return step.main is not None and step.main.type in ("Transpose", "DepthToSpace", "SpaceToDepth", "Tile", "Expand")


PASS = BuildPass("Generated kernels", 320, edit)
