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

from dataclasses import replace

from trex.core.data_type import DataType
from trex.simulator.builder import BuildPass
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import as_one_step, is_reshape
from trex.simulator.kernel_division import REPEATS, KernelDivision
from trex.simulator.myelin_record import NATIVE

_AFFINE = frozenset({"Reshape", "InstanceNormalization", "Mul", "Add"})
_WHY = "Myelin generates one kernel for such operations"


def edit(editor: DraftEditor) -> None:
    division = KernelDivision(editor)
    division.divide()
    _Writer(division).write()


class _Writer:
    """Replaces the groups of a division by kernels."""

    def __init__(self, division: KernelDivision) -> None:
        self.division = division
        self.editor, self.groups = division.editor, division.groups

    def write(self) -> None:
        kernels = [self.groups.members(group) for group in self.groups]
        kernels = [members for members in kernels if members[0] in self.division.part_of]
        are_silent = [
            all(map(self.division.is_free, members)) and self._launches_nothing(members) for members in kernels
        ]
        for members, is_silent in zip(kernels, are_silent, strict=True):
            self._write(members, is_silent)

    def _write(self, members: list[int], is_silent: bool) -> None:
        editor = self.editor
        main = next((number for number in members if not self.division.is_free(number)), None)
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
        norm = next((number for number in members if self.division.normalizes_groups(number)), None)
        if norm is None or not self.division.is_alone:
            return kernel
        editor, name = self.editor, kernel.outputs[0]
        counter = editor.add_tensor(name, f"{name}_counter", DataType.INT32)
        editor.set_shape(counter, (1,))
        steps = [editor[number] for number in members if self.division.types(number) <= _AFFINE]
        operators = tuple(operator for step in steps if len(step.inputs) == 1 for operator in step.operators)
        names = tuple(operator.name for operator in operators)
        editor.add(
            BuildStep(StepKind.REGION, operators, None, (), (counter,), facts={"prepared": names}), neighbor=norm
        )
        return replace(kernel, inputs=(*kernel.inputs, counter))

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
        epilogue = [member for member in members if self.division.is_free(member)]
        types = {name for member in epilogue for name in self.division.types(member)}
        return len(self.editor.readers(name)) > 1 or len(epilogue) == len(members) or types <= NATIVE

    def _is_at_attention(self, members: list[int]) -> bool:
        """Whether an attention writes what these transposes read, or before TensorRT 11 reads what they write."""
        if any(self.division.types(number) & REPEATS for number in members):
            return False
        inside = set(members)
        sources = [self.editor.writer(name) for number in members for name in self.editor[number].inputs]
        kinds = {self.editor[writer].kind for writer in sources if writer is not None and writer not in inside}
        if kinds == {StepKind.ATTENTION} or self._are_strided_heads(sources, inside):
            return True
        readers = [reader for name in self.division.visible(members) for reader in self.editor.readers(name)]
        return not self.division.is_alone and {self.editor[reader].kind for reader in readers} == {StepKind.ATTENTION}

    def _are_strided_heads(self, sources: list[int | None], inside: set[int]) -> bool:
        """Whether merged GEMMs of equal widths run as a batch: their readers need no copy of the heads."""
        writers = {writer for writer in sources if writer is not None and writer not in inside}
        if len(writers) != 1:
            return False
        step = self.editor[writers.pop()]
        return len(step.outputs) > 1 and len({self.division.shape(name) for name in step.outputs}) == 1

    def _scaled(self, members: list[int]) -> tuple[str, ...]:
        """Names of GEMMs and convolutions whose result these steps scale."""
        return tuple(
            operator.name for number in members if self.editor[number].main is None
            for operator in self.editor[number].operators
        )  # fmt: skip


PASS = BuildPass("Myelin's kernels", 320, edit)
