"""Puts copies where a tensor is read in another type or layout than it is written in.

What it does: behind a step when several readers want its output alike, or the caller wants it so, before a reader
otherwise; where the same bytes serve as both layouts the copy does nothing and is told as such. Reshapes in rows do
nothing, too.
The rule: reformat layers stand at boundaries of types and layouts, and at inputs and outputs of the network, which are
in rows and in the model's type unless I/O formats are given (https://docs.nvidia.com/deeplearning/tensorrt/latest/
inference-library/advanced.html).
What it leaves out: reformats that the builder folds into kernels which read one layout and write another.
"""

from __future__ import annotations

from dataclasses import replace

from trex.simulator.build_pass import BuildPass
from trex.simulator.draft import Kind, Step
from trex.simulator.fusing import is_reshape
from trex.simulator.slots import LINEAR, Slot, is_relabeled, slot_bytes
from trex.simulator.workbench import Workbench

_SHARED = 2


def edit(bench: Workbench) -> None:
    model = bench.draft.model
    for value in model.inputs:
        _serve(bench, value.name, None)
    wanted = {value.name: Slot(value.data_type, LINEAR) for value in model.outputs}
    for number in list(bench):
        for name in bench[number].outputs:
            _serve(bench, name, wanted.get(name))
    for number in range(bench.count):
        if number in bench and is_reshape(bench[number]):
            bench.replace(number, replace(bench[number], kind=Kind.IDENTITY))


def _serve(bench: Workbench, name: str, result: Slot | None) -> None:
    """Copies of a tensor for those who want it otherwise than it is. result: what the caller wants it as."""
    own = Slot(bench.type_of(name), bench.format_of(name))
    readers = _readers(bench, name)
    copied = list(dict.fromkeys(slot for slot in readers if slot is not None and slot != own))
    free = readers.pop(None, [])
    if free:
        # A copy reads whichever version is the smallest, of alike ones the one that was there first.
        versions = [own, *copied, *([] if result is None else [result])]
        shape = bench.shape_of(name)
        readers.setdefault(min(versions, key=lambda slot: slot_bytes(slot, shape)), []).extend(free)
    wanted = {slot: numbers for slot, numbers in readers.items() if slot is not None}
    names = {own: name}
    writer = bench.writer(name)
    if writer is not None:
        if result is None and len(wanted) == 1 and own not in wanted and len(next(iter(wanted.values()))) >= _SHARED:
            names = _behind(bench, writer, name, own, next(iter(wanted)))
        elif result is not None and result != own:
            names = _behind(bench, writer, name, own, result)
    for slot, numbers in wanted.items():
        if slot not in names:
            made = bench.add_tensor(name, f"reformatted_{name}", slot.type, slot.layout)
            _add(bench, names[own], made, own, slot, numbers[0])
            names[slot] = made
        if names[slot] != name:
            for number in dict.fromkeys(numbers):
                _read_instead(bench, number, name, names[slot], slot)


def _readers(bench: Workbench, name: str) -> dict[Slot | None, list[int]]:
    """{slot that a tensor is wanted in: steps}; None for those that read it as it is."""
    found: dict[Slot | None, list[int]] = {}
    for reader in bench.readers(name):
        step = bench[reader]
        slots = step.facts.get("reads") or (None,) * len(step.inputs)
        for each, slot in zip(step.inputs, slots, strict=True):
            if each == name:
                found.setdefault(slot, []).append(reader)
    return found


def _behind(bench: Workbench, writer: int, name: str, own: Slot, wanted: Slot) -> dict[Slot, str]:
    """The step writes a tensor of another name, and a copy makes of it what is wanted under the old name."""
    step = bench[writer]
    written = bench.add_tensor(name, f"unformatted_{name}", own.type, own.layout)
    bench.replace(writer, replace(step, outputs=tuple(written if each == name else each for each in step.outputs)))
    bench.set_type(name, wanted.type)
    bench.set_format(name, wanted.layout)
    _add(bench, written, name, own, wanted, writer)
    return {own: written, wanted: name}


def _read_instead(bench: Workbench, number: int, name: str, copied: str, wanted: Slot) -> None:
    """Lets a step read another version of a tensor, where it wants the tensor so or takes it as it is."""
    step = bench[number]
    slots = step.facts.get("reads") or (wanted,) * len(step.inputs)
    inputs = (
        copied if each == name and slot == wanted else each for each, slot in zip(step.inputs, slots, strict=True)
    )
    bench.replace(number, replace(step, inputs=tuple(inputs)))


def _add(bench: Workbench, source: str, result: str, own: Slot, wanted: Slot, beside: int) -> None:
    is_same = is_relabeled(own, wanted, bench.shape_of(source))
    kind = Kind.IDENTITY if is_same else Kind.REFORMAT
    copy = Step(kind, (), None, (source,), (result,), precision=wanted.type)
    served = bench[beside]
    bench.add(copy, beside=beside)
    if not is_same:
        writes, reads = f"is written as {own}", f"is wanted as {wanted}"
        where = f"behind {served.label}" if source in served.outputs else f"before {served.label}"
        bench.decide(f"a reformat {where}", f"the tensor {writes} and {reads}", served.origins)


PASS = BuildPass("Reformats", 610, edit)
