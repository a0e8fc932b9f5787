"""Myelin's parts → KernelDivision: their steps in groups that become kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from trex.core.data_type import DataType
from trex.core.shape import Shape, volume
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import is_reshape
from trex.simulator.kernel_groups import KernelGroups
from trex.simulator.myelin import compiles_everything, multiplies_activations, myelin_parts
from trex.simulator.myelin_record import NATIVE

_REDUCTIONS: Mapping[StepKind, int] = {
    StepKind.REDUCE: 1, StepKind.SOFTMAX: 2, StepKind.NORMALIZATION: 2, StepKind.POOLING: 1
}  # fmt: skip
_MOST_REDUCTIONS = 2
_MOST_STEPS = 128
_EXACT = frozenset({StepKind.ACTIVATION, StepKind.ELEMENTWISE, StepKind.SCALE, StepKind.SELECT, StepKind.CAST})
_GENERATED = _EXACT | {
    StepKind.CONCATENATION, StepKind.DEQUANTIZE, StepKind.GATHER, StepKind.IDENTITY, StepKind.QUANTIZE,
    StepKind.REDUCE, StepKind.RESIZE, StepKind.SHUFFLE, StepKind.SLICE, StepKind.SOFTMAX,
}  # fmt: skip
_GLOBAL = frozenset({"GlobalAveragePool", "GlobalMaxPool"})
_CONVOLUTIONS = frozenset({StepKind.CONVOLUTION, StepKind.DECONVOLUTION})
_EXTENDED = _CONVOLUTIONS | {StepKind.MATRIX_MULTIPLY}
REPEATS = frozenset({"Expand", "Tile"})


class KernelDivision:
    """Which steps of Myelin's parts become one kernel, inferred as ``trex.simulator.passes.myelin_kernels`` describes.

    part_of: {step: its part}. groups: the future kernels, once ``divide`` has run. is_alone: whether Myelin compiles
    everything.
    """

    def __init__(self, editor: DraftEditor) -> None:
        self.editor = editor
        self.is_alone = compiles_everything(editor)
        self.part_of = {number: index for index, part in enumerate(myelin_parts(editor)) for number in part}
        self.groups = KernelGroups(editor)
        self._shortened: set[int] = set()  # steps that GEMMs and convolutions left of generated kernels

    def divide(self) -> None:
        editor = self.editor
        for number in self.part_of:
            if editor[number].kind is StepKind.ATTENTION:
                self._repeat_heads(number)
            elif multiplies_activations(editor[number]):
                self._scale_operands(number)
        for number in sorted(self.part_of):
            if self.is_free(number):
                self._join_producers(number)
        extended = [number for number in sorted(self.part_of) if editor[number].kind in _EXTENDED]
        for number in reversed(extended):
            if editor[number].kind in _CONVOLUTIONS:
                self._extend(number, self._is_native, _is_short)
        for number in extended:
            self._extend(number, self._is_own, _is_exact)
        for number in extended:
            self._extend(number, self._is_any, _is_exact)
        self._join_again()

    def _join_again(self) -> None:
        """Joins what GEMMs and convolutions left of generated kernels."""
        left = {number for number in self._shortened if self._is_generated(self.groups.group_of(number))}
        for group in {self.groups.group_of(number) for number in left}:
            self.groups.dissolve(group)
        for number in sorted({*left, *(reader for writer in left for reader in self._free_readers(writer))}):
            self._join_producers(number)

    def _free_readers(self, number: int) -> list[int]:
        names = self.editor[number].outputs
        return [reader for name in names for reader in self.editor.readers(name) if self.is_free(reader)]

    # --- kernels of attentions

    def _repeat_heads(self, attention: int) -> None:
        """An attention repeats its keys and values itself: the repetition and what follows it belong to it."""
        for name in self.editor[attention].inputs:
            chain: list[int] = []
            number = self.editor.writer(name)
            while number is not None and self.editor[number].kind is StepKind.SHUFFLE and len(chain) < 6:
                chain.append(number)
                number = self.editor.writer(self.editor[number].inputs[0])
            repeats = [index for index, member in enumerate(chain) if self.types(member) & REPEATS]
            if repeats and all(self.editor.only_reader(self.editor[member].outputs[0]) for member in chain):
                for member in chain[: repeats[-1] + 2]:
                    if (
                        is_reshape(self.editor[member])
                        or self.types(member) & REPEATS
                        or member in chain[: repeats[-1]]
                    ):
                        self.groups.take(member, attention)

    def _scale_operands(self, gemm: int) -> None:
        """A GEMM of activations multiplies by the factors of its operands."""
        for name in self.editor[gemm].inputs:
            number = self.editor.writer(name)
            if number is None or self.part_of.get(number) != self.part_of[gemm]:
                continue
            step = self.editor[number]
            is_one = len(step.inputs) == 1 == len(step.constants) and self._values(step.constants[0]) == 1
            if is_one and self.types(number) == {"Mul"} and self.editor.only_reader(name) == gemm:
                self.groups.take(number, gemm)

    # --- generated kernels

    def is_free(self, number: int) -> bool:
        """Whether generated kernels can contain a step."""
        step = self.editor[number]
        if number not in self.part_of:
            return False
        if step.kind is StepKind.POOLING:
            return bool(self.types(number) & _GLOBAL)
        if step.kind is StepKind.NORMALIZATION:
            return "InstanceNormalization" not in self.types(number) or self._is_group_norm(step)
        return step.kind in _GENERATED

    def _is_group_norm(self, step: BuildStep) -> bool:
        reader = self.editor.only_reader(step.outputs[0])
        return reader is not None and is_reshape(self.editor[reader])

    def _is_generated(self, group: int) -> bool:
        return all(self.is_free(number) for number in self.groups.members(group))

    def _join_producers(self, number: int) -> None:
        if self._begins_group_norm(number):
            return
        for name in self.editor[number].inputs:
            writer = self.editor.writer(name)
            if writer is None or self.part_of.get(writer) != self.part_of[number]:
                continue
            one, other = self.groups.group_of(writer), self.groups.group_of(number)
            if one != other and self._is_generated(one) and self._is_generated(other) and self._fits(name, one, other):
                self.groups.join(one, other)

    def _begins_group_norm(self, number: int) -> bool:
        """A kernel of the library normalizes groups; only what follows can be part of it."""
        reader = self.editor.only_reader(self.editor[number].outputs[0])
        return is_reshape(self.editor[number]) and reader is not None and self.normalizes_groups(reader)

    def _fits(self, name: str, one: int, other: int) -> bool:
        if self.groups.size(one) + self.groups.size(other) > _MOST_STEPS:
            return False
        before = self._reductions(one)
        after = self._reductions(other)
        if before + after > _MOST_REDUCTIONS:
            return False
        if before and any(self._moves(number) for number in self.groups.members(other)):
            return False
        size = self._values(name)
        widest = max((self._values(output) or 0 for member in self.groups.members(other)
                      for output in self.editor[member].outputs), default=0)  # fmt: skip
        if not before and len(self.editor.readers(name)) > 1 and size is not None and size < widest:
            return False
        return self.groups.can_join(one, other)

    def normalizes_groups(self, number: int) -> bool:
        """Whether a step of a generated kernel is an instance normalization of groups."""
        return "InstanceNormalization" in self.types(number)

    def _reductions(self, group: int) -> int:
        return sum(_REDUCTIONS.get(self.editor[number].kind, 0) for number in self.groups.members(group))

    def _moves(self, number: int) -> bool:
        """Whether a step changes the order of values."""
        step = self.editor[number]
        return step.kind is StepKind.SHUFFLE and bool(
            self.types(number) & {"Transpose", "DepthToSpace", "SpaceToDepth", "Tile", "Expand"}
        )

    # --- GEMMs and convolutions

    def _extend(
        self, number: int, is_chosen: Callable[[int, BuildStep], bool], is_left: Callable[[BuildStep], bool]
    ) -> None:
        """Moves the leading operations of the following kernel into a GEMM or convolution."""
        step = self.editor[number]
        if step.precision is DataType.INT8 and self.is_alone:
            return
        if len(step.outputs) > 1 and self.is_alone:
            return
        group = self.groups.group_of(number)
        shape = [self.shape(name) for name in step.outputs]
        for group_output in self.visible(self.groups.members(group)):
            self._extend_output(number, group, group_output, shape[0], is_chosen, is_left)

    def _extend_output(
        self,
        number: int,
        group: int,
        name: str,
        shape: Shape | None,
        is_chosen: Callable[[int, BuildStep], bool],
        is_left: Callable[[BuildStep], bool],
    ) -> None:
        editor, groups = self.editor, self.groups
        if editor.is_result(name) or shape is None:
            return
        followers = {groups.group_of(reader) for reader in editor.readers(name)}
        if len(followers) != 1:
            return
        after = followers.pop()
        if after == group or not self._is_generated(after):
            return
        if any(not is_left(editor[member]) for member in groups.members(after)):
            return
        if self.part_of.get(groups.members(after)[0]) != self.part_of[number]:
            return
        inside, taken, written, is_torn = set(groups.members(after)), [], {name}, False
        for member in groups.members(after):
            candidate = editor[member]
            if candidate.kind not in _EXACT or len(candidate.inputs) > _MOST_STEPS:
                continue
            reads = set(candidate.inputs)
            if not reads & written or not is_chosen(number, candidate):
                continue
            if editor.shape_of(candidate.outputs[0]) != editor.shape_of(name):
                continue
            writers = [writer for other in reads - written if (writer := editor.writer(other)) is not None]
            if any(self._depends(writer, group) for writer in writers if writer not in inside):
                continue
            if any(writer in inside for writer in writers):
                if is_chosen != self._is_any or any(self._leads_to(name, writer, inside) for writer in writers):
                    continue
                is_torn = True
            inside.discard(member)
            taken.append(member)
            written.update(candidate.outputs)
        before = groups.members(group)
        while taken and len(self.visible([*before, *taken])) != len(editor[number].outputs):
            taken.pop()
        if taken and not self._is_writable(number, [*before, *taken]):
            return
        for member in taken:
            groups.take(member, group)
        left = [member for member in groups.members(after) if member not in taken] if taken else []
        self._shortened.update(left)
        if left and is_torn:
            groups.dissolve(after)

    def _leads_to(self, name: str, number: int, inside: set[int]) -> bool:
        """Whether a step of a kernel needs a tensor, through steps of that kernel."""
        waiting, seen = [number], {number}
        while waiting:
            for read in self.editor[waiting.pop()].inputs:
                writer = self.editor.writer(read)
                if read == name:
                    return True
                if writer in inside and writer not in seen:
                    seen.add(writer)
                    waiting.append(writer)
        return False

    def _is_native(self, number: int, candidate: BuildStep) -> bool:
        """A convolution adds a tensor of its shape, then applies an activation."""
        types = {operator.type for operator in candidate.operators}
        output = self.editor[number].outputs[0]
        is_residual = "Add" in types and len(candidate.inputs) > 1 and output in candidate.inputs
        return is_residual or bool(types & NATIVE - {"Add"})

    def _is_own(self, number: int, candidate: BuildStep) -> bool:
        """An operation on the result alone: its other operands are stored or come from the result."""
        writers = {self.editor.writer(name) for name in candidate.inputs}
        return len(writers) == 1 or all(writer is not None and self._descends(writer, number) for writer in writers)

    def _descends(self, writer: int, number: int) -> bool:
        """Whether a step computes from a GEMM's or convolution's result alone, in a few operations."""
        for _ in range(12):
            if writer == number:
                return True
            step = self.editor[writer]
            if len(step.inputs) > _MOST_STEPS:
                return False
            sources = {self.editor.writer(name) for name in step.inputs}
            if len(step.inputs) == 0 or None in sources:
                return False
            writer = min(source for source in sources if source is not None)
        return False

    def _is_any(self, number: int, candidate: BuildStep) -> bool:
        return True

    def _is_writable(self, number: int, members: list[int]) -> bool:
        """An image at an output of the network has another layout, which only a convolution's own epilogue leaves to a
        transpose.
        """
        editor = self.editor
        if editor[number].kind not in _CONVOLUTIONS or not self.is_alone:
            return True
        if not any(editor.is_result(name) for member in members for name in editor[member].outputs):
            return True
        types = [self.types(member) for member in members if member != number]
        flat = set().union(*types)
        return flat <= NATIVE or "Tanh" in flat

    def _depends(self, writer: int, group: int) -> bool:
        other = self.groups.group_of(writer)
        return other == group or self.groups.depends(other, group)

    def visible(self, members: Iterable[int]) -> list[str]:
        """Outputs that other steps or the network's caller read."""
        inside = set(members)
        return [
            name
            for member in sorted(inside)
            for name in self.editor[member].outputs
            if self.editor.is_result(name) or any(reader not in inside for reader in self.editor.readers(name))
        ]

    def types(self, number: int) -> set[str]:
        return {operator.type for operator in self.editor[number].operators}

    def shape(self, name: str) -> Shape | None:
        return self.editor.shape_of(name)

    def _values(self, name: str) -> int | None:
        return volume(self.editor.shape_of(name))


def _is_exact(step: BuildStep) -> bool:
    """Whether a step is no reduction: kernels with a reduction keep what leads to it."""
    return step.kind not in _REDUCTIONS


def _is_short(step: BuildStep) -> bool:
    """As ``_is_exact``, but a pooling gives its leading operations away."""
    return _is_exact(step) or step.kind is StepKind.POOLING
