"""Inserts reformats where a tensor is read in another type or format than it is written in.

What it does: a reformat follows a step if several readers want its output in one other format, or the network's output
is in that format, and otherwise precedes the reader; if the same bytes serve as both formats, it becomes a no-op.
Row-major reshapes become no-ops, too.
The rule: reformat layers are inserted between different types and formats, and at inputs and outputs of the network,
which are row-major in the model's type unless I/O formats are given
(https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/advanced.html).
What it leaves out: reformats that the builder folds into kernels which read one format and write another.
"""

from __future__ import annotations

from dataclasses import replace

from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import is_reshape
from trex.simulator.implementations import LINEAR, IOFormat, format_bytes, is_relabeled
from trex.simulator.myelin import MYELIN_ALONE

_SHARED = 2


def edit(editor: DraftEditor) -> None:
    model = editor.draft.model
    wanted_by = _formats_by_reader(editor)
    for value in model.inputs:
        _serve(editor, value.name, None, wanted_by.get(value.name, {}))
    wanted = {value.name: IOFormat(value.data_type, LINEAR) for value in model.outputs}
    for number in list(editor):
        for name in editor[number].outputs:
            _serve(editor, name, wanted.get(name), wanted_by.get(name, {}))
    for number in range(editor.count):
        if number in editor and is_reshape(editor[number]):
            editor.replace(number, replace(editor[number], kind=StepKind.IDENTITY))


def _formats_by_reader(editor: DraftEditor) -> dict[str, dict[int, list[IOFormat | None]]]:
    """{tensor: {step that reads it: the formats in which it does}}; None for any format."""
    formats: dict[str, dict[int, list[IOFormat | None]]] = {}
    for number in editor:
        step = editor[number]
        slots = step.facts.get("reads") or (None,) * len(step.inputs)
        for name, slot in zip(step.inputs, slots, strict=True):
            formats.setdefault(name, {}).setdefault(number, []).append(slot)
    return formats


def _serve(editor: DraftEditor, name: str, result: IOFormat | None, formats: dict[int, list[IOFormat | None]]) -> None:
    """Reformats of a tensor for the readers that want another format. result: the format of a network output. formats:
    of each reader.
    """
    own = IOFormat(editor.type_of(name), editor.format_of(name))
    readers: dict[IOFormat | None, list[int]] = {}
    for number, slots in formats.items():
        for slot in slots:
            readers.setdefault(slot, []).append(number)
    copied = list(dict.fromkeys(slot for slot in readers if slot is not None and slot != own))
    free = readers.pop(None, [])
    if free:
        # Readers of any format read the smallest version, the first of equal ones.
        versions = [own, *copied, *([] if result is None else [result])]
        shape = editor.shape_of(name)
        readers.setdefault(min(versions, key=lambda slot: format_bytes(slot, shape)), []).extend(free)
    wanted = {slot: numbers for slot, numbers in readers.items() if slot is not None}
    names = {own: name}
    writer = editor.writer(name)
    if writer is not None:
        if result is None and len(wanted) == 1 and own not in wanted and len(next(iter(wanted.values()))) >= _SHARED:
            names = _behind(editor, writer, name, own, next(iter(wanted)))
        elif result is not None and result != own:
            names = _behind(editor, writer, name, own, result)
    for slot, numbers in wanted.items():
        if slot not in names:
            copy = editor.add_tensor(name, f"reformatted_{name}", slot.type, slot.layout)
            _add(editor, names[own], copy, own, slot, numbers[0])
            names[slot] = copy
        if names[slot] != name:
            for number in dict.fromkeys(numbers):
                if all(other is None or other == slot for other in formats[number]):
                    editor.rename_input(number, name, names[slot])
                else:
                    _read_instead(editor, number, name, names[slot], slot)


def _behind(editor: DraftEditor, writer: int, name: str, own: IOFormat, wanted: IOFormat) -> dict[IOFormat, str]:
    """The step writes a new tensor, and a reformat writes the wanted format under the old name."""
    step = editor[writer]
    written = editor.add_tensor(name, f"unformatted_{name}", own.type, own.layout)
    editor.replace(
        writer, replace(step, outputs=tuple(written if output == name else output for output in step.outputs))
    )
    editor.set_type(name, wanted.type)
    editor.set_format(name, wanted.layout)
    _add(editor, written, name, own, wanted, writer)
    return {own: written, wanted: name}


def _read_instead(editor: DraftEditor, number: int, name: str, copied: str, wanted: IOFormat) -> None:
    """Lets a step that reads a tensor in several formats read another version of it where it wants that format."""
    step = editor[number]
    slots = step.facts["reads"]
    inputs = (
        copied if input_name == name and slot == wanted else input_name
        for input_name, slot in zip(step.inputs, slots, strict=True)
    )
    editor.replace(number, replace(step, inputs=tuple(inputs)))


def _add(editor: DraftEditor, source: str, result: str, own: IOFormat, wanted: IOFormat, neighbor: int) -> None:
    is_same = is_relabeled(own, wanted, editor.shape_of(source))
    kind = StepKind.IDENTITY if is_same else StepKind.REFORMAT
    copy = BuildStep(kind, (), None, (source,), (result,), precision=wanted.type)
    served = editor[neighbor]
    editor.add(copy, neighbor=neighbor)
    if not is_same:
        writes, reads = f"is written as {own}", f"read as {wanted}"
        where = f"after {served.label}" if source in served.outputs else f"before {served.label}"
        editor.decide(f"a reformat {where}", f"the tensor {writes} and {reads}", served.origins)


PASS = BuildPass("Reformats", 610, edit, until=MYELIN_ALONE)
