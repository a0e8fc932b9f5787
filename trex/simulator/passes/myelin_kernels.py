"""Divides what Myelin compiles into kernels.

What it does: inside Myelin's parts, operations between GEMMs, convolutions and poolings (pointwise operations,
reductions, normalizations, casts, slices, gathers, transposes, quantizers) become one generated kernel where no other
kernel lies between them, with at most two reductions. Of a kernel without a reduction, the leading operations that keep
the shape of a preceding GEMM's or convolution's only output are computed by that GEMM or convolution instead: bias,
activation, residual addition. A reshape alone launches nothing, nor does a concatenation whose inputs are written into
it, nor a transpose of an attention's output.
The rule: inferred from engines of TensorRT for RTX, which list the ONNX nodes of each kernel: bias, residual addition
and normalization in one kernel, a GELU of five operations in the GEMM before it. Of two convolutions without more the
later one adds the residual, otherwise the first. What a convolution cannot do itself (all but residual, ReLU, Clip,
Sigmoid and GELU by tanh) stays a kernel of its own at an output of the network, whose layout differs. NVIDIA documents
that Myelin fuses chains of pointwise operations and reductions (TensorRT Developer Guide, Layer Fusion and Types of
Fusions). TensorRT 10 adds the bias of merged GEMMs in them and reads their heads without copies.
What it leaves out: the limits of a kernel are not published; here they are two reductions and 128 steps. Where two ways
are about equally fast the builder's choice differs from network to network, as it does for the addition before a
normalization without a bias.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from trex.core.data_type import DataType
from trex.core.shape import Shape, volume
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import as_one_step, is_reshape
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
_AFFINE = frozenset({"Reshape", "InstanceNormalization", "Mul", "Add"})
_REPEATS = frozenset({"Expand", "Tile"})
_WHY = "Myelin generates one kernel for such operations"


def edit(editor: DraftEditor) -> None:
    kernels = _Kernels(editor)
    kernels.divide()
    kernels.write()


class _Kernels:
    """part_of: {step: its part}. groups: the future kernels. shortened: steps that GEMMs and convolutions left of
    generated kernels.
    """

    def __init__(self, editor: DraftEditor) -> None:
        self.editor = editor
        self.is_alone = compiles_everything(editor)
        self.part_of = {number: index for index, part in enumerate(myelin_parts(editor)) for number in part}
        self.groups = KernelGroups(editor)
        self.shortened: set[int] = set()

    def divide(self) -> None:
        editor = self.editor
        for number in self.part_of:
            if editor[number].kind is StepKind.ATTENTION:
                self._repeat_heads(number)
            elif multiplies_activations(editor[number]):
                self._scale_operands(number)
        for number in sorted(self.part_of):
            if self._is_free(number):
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
        left = {number for number in self.shortened if self._is_generated(self.groups.group_of(number))}
        for group in {self.groups.group_of(number) for number in left}:
            self.groups.dissolve(group)
        for number in sorted({*left, *(reader for writer in left for reader in self._free_readers(writer))}):
            self._join_producers(number)

    def _free_readers(self, number: int) -> list[int]:
        names = self.editor[number].outputs
        return [reader for name in names for reader in self.editor.readers(name) if self._is_free(reader)]

    def write(self) -> None:
        kernels = [self.groups.members(group) for group in self.groups]
        kernels = [members for members in kernels if members[0] in self.part_of]
        are_silent = [all(map(self._is_free, members)) and self._launches_nothing(members) for members in kernels]
        for members, is_silent in zip(kernels, are_silent, strict=True):
            self._write(members, is_silent)

    # --- kernels of attentions

    def _repeat_heads(self, attention: int) -> None:
        """An attention repeats its keys and values itself: the repetition and what follows it belong to it."""
        for name in self.editor[attention].inputs:
            chain: list[int] = []
            number = self.editor.writer(name)
            while number is not None and self.editor[number].kind is StepKind.SHUFFLE and len(chain) < 6:
                chain.append(number)
                number = self.editor.writer(self.editor[number].inputs[0])
            repeats = [index for index, member in enumerate(chain) if self._types(member) & _REPEATS]
            if repeats and all(self.editor.only_reader(self.editor[member].outputs[0]) for member in chain):
                for member in chain[: repeats[-1] + 2]:
                    if (
                        is_reshape(self.editor[member])
                        or self._types(member) & _REPEATS
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
            if is_one and self._types(number) == {"Mul"} and self.editor.only_reader(name) == gemm:
                self.groups.take(number, gemm)

    # --- generated kernels

    def _is_free(self, number: int) -> bool:
        """Whether generated kernels can contain a step."""
        step = self.editor[number]
        if number not in self.part_of:
            return False
        if step.kind is StepKind.POOLING:
            return bool(self._types(number) & _GLOBAL)
        if step.kind is StepKind.NORMALIZATION:
            return "InstanceNormalization" not in self._types(number) or self._is_group_norm(step)
        return step.kind in _GENERATED

    def _is_group_norm(self, step: BuildStep) -> bool:
        reader = self.editor.only_reader(step.outputs[0])
        return reader is not None and is_reshape(self.editor[reader])

    def _is_generated(self, group: int) -> bool:
        return all(self._is_free(number) for number in self.groups.members(group))

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
        return is_reshape(self.editor[number]) and reader is not None and self._is_group_norm_step(reader)

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

    def _reductions(self, group: int) -> int:
        return sum(_REDUCTIONS.get(self.editor[number].kind, 0) for number in self.groups.members(group))

    def _moves(self, number: int) -> bool:
        """Whether a step changes the order of values."""
        step = self.editor[number]
        return step.kind is StepKind.SHUFFLE and bool(
            self._types(number) & {"Transpose", "DepthToSpace", "SpaceToDepth", "Tile", "Expand"}
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
        shape = [self._shape(name) for name in step.outputs]
        for group_output in self._visible(self.groups.members(group)):
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
            reads = set(candidate.inputs)
            if candidate.kind not in _EXACT or not reads & written or not is_chosen(number, candidate):
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
        while taken and len(self._visible([*before, *taken])) != len(editor[number].outputs):
            taken.pop()
        if taken and not self._is_writable(number, [*before, *taken]):
            return
        for member in taken:
            groups.take(member, group)
        left = [member for member in groups.members(after) if member not in taken] if taken else []
        self.shortened.update(left)
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
        types = [self._types(member) for member in members if member != number]
        flat = set().union(*types)
        return flat <= NATIVE or "Tanh" in flat

    def _depends(self, writer: int, group: int) -> bool:
        other = self.groups.group_of(writer)
        return other == group or self.groups.depends(other, group)

    def _visible(self, members: Iterable[int]) -> list[str]:
        """Outputs that other steps or the network's caller read."""
        inside = set(members)
        return [
            name
            for member in sorted(inside)
            for name in self.editor[member].outputs
            if self.editor.is_result(name) or any(reader not in inside for reader in self.editor.readers(name))
        ]

    # --- writing

    def _write(self, members: list[int], is_silent: bool) -> None:
        editor = self.editor
        main = next((number for number in members if not self._is_free(number)), None)
        if main is not None:
            if len(members) > 1:
                self._write_extended(main, [number for number in members if number != main])
            return
        if is_silent:
            for number in members:
                step = editor[number]
                is_joined = step.kind is StepKind.CONCATENATION
                facts = {**step.facts, "is_elided": True} if is_joined else step.facts
                kind = step.kind if is_joined else StepKind.IDENTITY
                editor.replace(number, replace(step, kind=kind, facts=facts))
            return
        kernel = as_one_step(editor, members, StepKind.REGION, scaled=self._scaled(members))
        if kernel is None:  # nothing reads it
            return
        kernel = self._with_counter(members, kernel)
        editor.merge(members, kernel)
        if len(members) > 1 and kernel.origins:
            what = f"{len(members)} operations from {kernel.origins[0]} on become one kernel"
            editor.decide(what, _WHY, kernel.origins)

    def _with_counter(self, members: list[int], kernel: BuildStep) -> BuildStep:
        """A group normalization's blocks wait for one another at counters that a kernel of its own sets to zero."""
        norm = next((number for number in members if self._is_group_norm_step(number)), None)
        if norm is None or not self.is_alone:
            return kernel
        editor, name = self.editor, kernel.outputs[0]
        counter = editor.add_tensor(name, f"{name}_counter", DataType.INT32)
        editor.set_shape(counter, (1,))
        steps = [editor[number] for number in members if self._types(number) <= _AFFINE]
        operators = tuple(operator for step in steps if len(step.inputs) == 1 for operator in step.operators)
        names = tuple(operator.name for operator in operators)
        editor.add(
            BuildStep(StepKind.REGION, operators, None, (), (counter,), facts={"prepared": names}), neighbor=norm
        )
        return replace(kernel, inputs=(*kernel.inputs, counter))

    def _is_group_norm_step(self, number: int) -> bool:
        """Whether a step of a generated kernel is an instance normalization of groups."""
        return "InstanceNormalization" in self._types(number)

    def _write_extended(self, main: int, rest: list[int]) -> None:
        editor = self.editor
        step = editor[main]
        before = [number for number in rest if set(editor[number].outputs) & set(step.inputs) or number < main]
        types = [op.type if editor[number].main else "Add" for number in rest for op in editor[number].operators]
        facts = {**step.facts, "epilogue": tuple(types)}
        facts |= {"bias": True} if any(editor[number].constants for number in rest) else {}
        whole = as_one_step(editor, [main, *rest], step.kind, **facts)
        if whole is None:
            return
        whole = replace(whole, operators=tuple({operator.index: operator for operator in whole.operators}.values()))
        names = [name for number in rest for name in editor[number].origins]
        editor.merge([main, *rest], whole)
        if names:
            verb = "computes" if not before else "includes"
            editor.decide(f"{step.label} {verb} {', '.join(names[:6])}", "no reduction follows them", whole.origins)

    def _launches_nothing(self, members: list[int]) -> bool:
        editor = self.editor
        if all(is_reshape(editor[number]) or editor[number].kind is StepKind.IDENTITY for number in members):
            return True
        kinds = {editor[number].kind for number in members}
        if kinds <= {StepKind.SHUFFLE, StepKind.IDENTITY}:
            return self._is_at_attention(members)
        if StepKind.CONCATENATION not in kinds or kinds - {StepKind.CONCATENATION, StepKind.SHUFFLE}:
            return False
        joined = [number for number in members if editor[number].kind is StepKind.CONCATENATION]
        if any(not is_reshape(editor[number]) for number in members if number not in joined):
            return False
        return all(self._is_written_in_place(name) for number in joined for name in editor[number].inputs)

    def _is_written_in_place(self, name: str) -> bool:
        """Whether a kernel of the library writes a tensor, or it has other readers, so that a plain copy joins it."""
        writer = self.editor.writer(name)
        if writer is None or self.editor.is_result(name):
            return False
        members = self.groups.members(self.groups.group_of(writer))
        epilogue = [member for member in members if self._is_free(member)]
        types = {name for member in epilogue for name in self._types(member)}
        return len(self.editor.readers(name)) > 1 or len(epilogue) == len(members) or types <= NATIVE

    def _is_at_attention(self, members: list[int]) -> bool:
        """Whether an attention writes what these transposes read, or before TensorRT 11 reads what they write."""
        if any(self._types(number) & _REPEATS for number in members):
            return False
        inside = set(members)
        sources = [self.editor.writer(name) for number in members for name in self.editor[number].inputs]
        kinds = {self.editor[writer].kind for writer in sources if writer is not None and writer not in inside}
        if kinds == {StepKind.ATTENTION} or self._are_strided_heads(sources, inside):
            return True
        readers = [reader for name in self._visible(members) for reader in self.editor.readers(name)]
        return not self.is_alone and {self.editor[reader].kind for reader in readers} == {StepKind.ATTENTION}

    def _are_strided_heads(self, sources: list[int | None], inside: set[int]) -> bool:
        """Whether merged GEMMs of equal widths run as a batch: their readers need no copy of the heads."""
        writers = {writer for writer in sources if writer is not None and writer not in inside}
        if len(writers) != 1:
            return False
        step = self.editor[writers.pop()]
        return len(step.outputs) > 1 and len({self._shape(name) for name in step.outputs}) == 1

    def _scaled(self, members: list[int]) -> tuple[str, ...]:
        """Names of GEMMs and convolutions whose result these steps scale."""
        return tuple(
            operator.name for number in members if self.editor[number].main is None
            for operator in self.editor[number].operators
        )  # fmt: skip

    def _types(self, number: int) -> set[str]:
        return {operator.type for operator in self.editor[number].operators}

    def _shape(self, name: str) -> Shape | None:
        return self.editor.shape_of(name)

    def _values(self, name: str) -> int | None:
        return volume(self.editor.shape_of(name))


def _is_exact(step: BuildStep) -> bool:
    """Whether a step is no reduction: kernels with a reduction keep what leads to it."""
    return step.kind not in _REDUCTIONS


def _is_short(step: BuildStep) -> bool:
    """As ``_is_exact``, but a pooling gives its leading operations away."""
    return _is_exact(step) or step.kind is StepKind.POOLING


PASS = BuildPass("Myelin's kernels", 320, edit)
