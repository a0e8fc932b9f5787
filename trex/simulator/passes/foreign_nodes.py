"""Until release 9 a part that Myelin compiles is one layer, {ForeignNode[first...last]}.

What it does: merges the kernels of each of Myelin's parts into one step; with a convolution between them, into one on
either side. Its kernels are kept (fact ``kernels``), and their times add up to its time.
The rule: the inspector of TensorRT 8 lists a region as a whole, that of 10 its kernels one by one. Source: engine
inspector output of releases 8.6 and 10.4.
What it leaves out: the kernels inside are those predicted for later releases; differences of old releases are unknown.
"""

from __future__ import annotations

from trex.simulator.builder import BuildPass
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import as_one_step
from trex.simulator.myelin import MYELIN_KINDS, myelin_parts

SEPARATE_KERNELS_SINCE = 9
_KINDS = MYELIN_KINDS | {StepKind.IDENTITY}


def edit(editor: DraftEditor) -> None:
    if editor.draft.target.release.major >= SEPARATE_KERNELS_SINCE:
        return
    for members in _groups(editor):
        _join(editor, members)


def _groups(editor: DraftEditor) -> list[list[int]]:
    """A step joins the latest group that it reads from or, if it reads none, the latest of its part, so no region waits
    for results that depend on its own.
    """
    part_of = {number: index for index, part in enumerate(myelin_parts(editor, _KINDS)) for number in part}
    groups: list[tuple[int, list[int]]] = []
    group_of: dict[str, int] = {}
    last_of: dict[int, int] = {}
    for number in editor:
        step = editor[number]
        part = part_of.get(number, -1)
        latest = max((group_of[name] for name in step.inputs if name in group_of), default=last_of.get(part, -1))
        if part < 0 or latest < 0 or groups[latest][0] != part:
            groups.append((part, []))
            latest = len(groups) - 1
        groups[latest][1].append(number)
        last_of[part] = latest
        group_of.update(dict.fromkeys(step.outputs, latest))
    return [members for part, members in groups if part >= 0]


def _join(editor: DraftEditor, members: list[int]) -> None:
    steps = tuple(editor[number] for number in members)
    names = [name for step in steps for name in step.origins]
    if not names:
        return
    label = f"{{ForeignNode[{names[0]}...{names[-1]}]}}"
    region = as_one_step(editor, members, StepKind.REGION, label=label, kernels=steps)
    if region is None:  # nothing reads it
        return
    editor.merge(members, region)
    editor.decide(
        f"{len(names)} operations from {names[0]} to {names[-1]} become one region",
        "the inspector of TensorRT 8 lists a region as one layer",
        names,
    )


PASS = BuildPass("Foreign nodes", 900, edit)
