"""DraftEditor: a NetworkDraft under edit by one pass; edits take effect at once, ``done`` returns the new draft."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from trex.core.data_type import DataType
from trex.core.note import Note
from trex.core.shape import Shape
from trex.core.tensor_format import TensorFormat
from trex.simulator.draft import BuildStep, Decision, NetworkDraft, in_order


class DraftEditor:
    """Steps by number; a step keeps its number until the pass is done. Every edit takes constant time.

    name: of the pass, for its decisions.
    """

    def __init__(self, draft: NetworkDraft, name: str) -> None:
        self.draft = draft
        self.name = name
        self._steps: dict[int, BuildStep] = dict(enumerate(draft.steps))
        self._position: dict[int, tuple[int, int]] = {number: (number, 0) for number in self._steps}
        self._writer: dict[str, int] = {}
        self._readers: dict[str, dict[int, None]] = {}
        for number, step in self._steps.items():
            self._enter(number, step)
        self._types = dict(draft.types)
        self._formats = dict(draft.formats)
        self._shapes = dict(draft.shapes)
        self._decisions = list(draft.decisions)
        self._notes = list(draft.notes)
        self._next = len(self._steps)
        self._renamed: dict[int, dict[str, str]] = {}  # not yet in the steps' inputs; see rename_input
        self._copies: dict[str, int] = {}  # the last number of a name: a tensor that all read has thousands of copies

    def __iter__(self) -> Iterator[int]:
        """Numbers of the initial steps that still exist, in order."""
        for number in range(len(self.draft.steps)):
            if number in self._steps:
                yield number

    @property
    def count(self) -> int:
        """Upper bound of all numbers; some of their steps may be removed."""
        return self._next

    def __contains__(self, number: object) -> bool:
        return number in self._steps

    def __getitem__(self, number: int) -> BuildStep:
        if number in self._renamed:
            self._rename_now(number)
        return self._steps[number]

    def writer(self, tensor: str) -> int | None:
        """The step that writes a tensor; None for an input of the network and for a constant."""
        return self._writer.get(tensor)

    def readers(self, tensor: str) -> tuple[int, ...]:
        """The steps that read a tensor, each once."""
        return tuple(self._readers.get(tensor, ()))

    def first_readers(self, tensor: str, most: int) -> tuple[list[int], int]:
        """(the first steps that read a tensor, how many do)."""
        readers = self._readers.get(tensor, {})
        return list(islice(readers, most)), len(readers)

    def is_needed(self, tensor: str) -> bool:
        """Whether a step reads a tensor or it is an output of the network."""
        return bool(self._readers.get(tensor)) or self.is_result(tensor)

    def is_result(self, tensor: str) -> bool:
        """Whether it is an output of the network."""
        return tensor in self.draft.results

    def only_reader(self, tensor: str) -> int | None:
        """The one step that reads a tensor, if nothing else needs it; else None."""
        readers = self._readers.get(tensor, {})
        return next(iter(readers)) if len(readers) == 1 and not self.is_result(tensor) else None

    def type_of(self, tensor: str) -> DataType:
        data_type = self._types.get(tensor)
        return self.draft.type_of(tensor) if data_type is None else data_type

    def shape_of(self, tensor: str) -> Shape | None:
        shape = self._shapes.get(tensor)
        return self.draft.shape_of(tensor) if shape is None else shape

    def format_of(self, tensor: str) -> TensorFormat:
        tensor_format = self._formats.get(tensor)
        return self.draft.format_of(tensor) if tensor_format is None else tensor_format

    def set_type(self, tensor: str, data_type: DataType) -> None:
        self._types[tensor] = data_type

    def set_shape(self, tensor: str, shape: Shape | None) -> None:
        if shape is not None:
            self._shapes[tensor] = shape

    def set_format(self, tensor: str, layout: TensorFormat) -> None:
        self._formats[tensor] = layout

    def replace(self, number: int, step: BuildStep) -> None:
        """Replaces a step."""
        self._leave(number)
        self._steps[number] = step
        self._enter(number, step)

    def remove(self, number: int) -> None:
        self._leave(number)
        del self._steps[number]

    def merge(self, numbers: Iterable[int], step: BuildStep) -> int:
        """One step in place of several, at the position of the last; its number."""
        gone = sorted(numbers, key=self._position.__getitem__)
        for number in gone[:-1]:
            self.remove(number)
        self.replace(gone[-1], step)
        return gone[-1]

    def add(self, step: BuildStep, *, neighbor: int) -> int:
        """A new step at the position of another; its tensors determine whether it runs before or after."""
        number, self._next = self._next, self._next + 1
        self._steps[number] = step
        position, _ = self._position[neighbor]
        self._position[number] = (position, number)
        self._enter(number, step)
        return number

    def add_tensor(
        self, like: str, name: str, data_type: DataType | None = None, layout: TensorFormat | None = None
    ) -> str:
        """A tensor that the model does not have, of the shape (and, unless given, the type and format) of another; its
        name, made unique.
        """
        count = self._copies.get(name, 1)
        unique = name if count == 1 else f"{name}_{count}"
        while unique in self._writer or unique in self._shapes or self.draft.model.value(unique) is not None:
            count += 1
            unique = f"{name}_{count}"
        self._copies[name] = count
        shape = self.shape_of(like)
        if shape is not None:
            self._shapes[unique] = shape
        self._types[unique] = self.type_of(like) if data_type is None else data_type
        self._formats[unique] = self.format_of(like) if layout is None else layout
        return unique

    def rename_input(self, number: int, old: str, new: str) -> None:
        """Lets a step read another tensor instead. The step changes when it is looked at: one with thousands of inputs
        may be renamed as often.
        """
        readers = self._readers.get(old, {})
        if number not in readers:
            return
        if new in self._renamed.get(number, {}):
            self._rename_now(number)
        self._renamed.setdefault(number, {})[old] = new
        del readers[number]
        self._readers.setdefault(new, {})[number] = None

    def rename_inputs(self, number: int, names: Mapping[str, str]) -> None:
        """Lets a step read other tensors instead. names: old → new."""
        step = self[number]
        gone = [name for name in step.inputs if name in names]
        if not gone:
            return
        self._steps[number] = replace(step, inputs=tuple(map(names.get, step.inputs, step.inputs)))
        for name in gone:
            self._readers.get(name, {}).pop(number, None)
        for name in gone:
            self._readers.setdefault(names[name], {})[number] = None

    def bypass(self, number: int) -> bool:
        """Removes a step that passes its first input on as its only output. False, and no change, if a copy is needed:
        both tensors are outputs of the network, or the output is one and something else reads or provides the input.
        """
        step = self[number]
        old, new = step.outputs[0], step.inputs[0]
        if not self.is_result(old):
            self.remove(number)
            for reader in self.readers(old):
                self.rename_input(reader, old, new)
            return True
        writer = self.writer(new)
        if writer is None or self.is_result(new):
            return False
        self.remove(number)
        before = self[writer]
        self.replace(writer, replace(before, outputs=tuple(old if name == new else name for name in before.outputs)))
        for reader in self.readers(new):
            self.rename_input(reader, new, old)
        return True

    def decide(self, what: str, why: str, operators: Iterable[str] = ()) -> None:
        self._decisions.append(Decision(self.name, what, why, tuple(operators)))

    def note(self, note: Note) -> None:
        self._notes.append(note)

    def done(self) -> NetworkDraft:
        """The new draft, its steps in an executable order."""
        order = sorted(self._steps, key=self._position.__getitem__)
        given = [value.name for value in self.draft.model.inputs]
        return replace(
            self.draft,
            steps=in_order([self[number] for number in order], given),
            types=self._types,
            formats=self._formats,
            shapes=self._shapes,
            decisions=tuple(self._decisions),
            notes=tuple(self._notes),
        )

    def _enter(self, number: int, step: BuildStep) -> None:
        for name in step.outputs:
            self._writer[name] = number
        for name in step.inputs:
            self._readers.setdefault(name, {})[number] = None

    def _rename_now(self, number: int) -> None:
        """A tensor that was renamed twice has its last name: later names are resolved first."""
        final: dict[str, str] = {}
        for old, new in reversed(self._renamed.pop(number).items()):
            final[old] = final.get(new, new)
        step = self._steps[number]
        self._steps[number] = replace(step, inputs=tuple(map(final.get, step.inputs, step.inputs)))

    def _leave(self, number: int) -> None:
        step = self[number]
        for name in step.outputs:
            if self._writer.get(name) == number:
                del self._writer[name]
        for name in step.inputs:
            self._readers.get(name, {}).pop(number, None)
