"""Engine → Lifetimes: the tensor values in memory while the engine runs, each from first writer to last reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from trex.core.collector import collector_paused
from trex.core.engine import Engine
from trex.core.frozen import frozen
from trex.core.layer import Layer, Role
from trex.core.tensor import Tensor
from trex.plan.generations import Generation, generations_of

DEVICE, CALLER, GIVEN, HOST = "device", "caller", "given", "host"
# A view of several values may view any of them; more than this are ignored.
_MAX_VIEWED = 64


@frozen
class TensorLifetime:
    """One value that needs its own memory.

    name: of the tensor. tensor: as the first writer (without writers, the first reader) sees it. size_bytes: None if
    unknown. first, last: positions in ``engine.layers`` between which the value must be kept, both included.
    memory: ``device`` (allocated by the engine), ``caller`` (an input or output of the engine), ``given`` (other data
    that no layer writes) or ``host``.
    carried: whether a layer reads the value before it is written, so that it is kept from one run to the next.
    """

    name: str
    tensor: Tensor
    size_bytes: int | None
    first: int
    last: int
    memory: str
    carried: bool = False


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """all: in order of the names' first appearance. unlisted_layers: number of kernels that list no output.

    unnamed: number of values without a name. Their readers are unknown, so they only live while they are written.
    """

    all: tuple[TensorLifetime, ...]
    unlisted_layers: int
    unnamed: int
    _numbers: tuple[tuple[int, ...], ...] = field(repr=False)
    _generations: tuple[Generation, ...] = field(repr=False)

    def used_at(self, layer: Layer, position: int) -> frozenset[int]:
        """Indexes in ``all`` of the values that the layer at a position of ``engine.layers`` reads or writes, including
        through views, without unnamed values. Linear in the number of values.
        """
        read = {tensor.name for tensor in layer.inputs}
        written = {tensor.name for tensor in layer.outputs}
        used: set[int] = set()
        for generation, numbers in zip(self._generations, self._numbers):
            reads = generation.name in read and position in (*generation.readers, *generation.carried_readers)
            if reads or (generation.name in written and position in generation.writers):
                # A name that a layer and a later view write also stands for values that begin later.
                used.update(number for number in numbers if self.all[number].first <= position)
        return frozenset(used)


def lifetimes_of(engine: Engine) -> Lifetimes:
    """The lifetimes of an engine's values, linear in its layers.

    * A name that is written again after it was read is another value (see ``generations_of``).
    * Several layers that write a name without a reader in between write one value: the parts of a concatenation, which
      add up to what the readers see, or branches of a condition that each write the whole.
    * A NoOp makes a view, which is no value: the viewed value is kept until the view's last reader. A NoOp with several
      inputs may view any of them, so all are kept.
    * The outputs of Constants are stored with the engine and are no values here.
    * A tensor without a name is a value of the layer that writes it.
    """
    with collector_paused():
        return _Liveness(engine).lifetimes()


def _has_known_outputs(layer: Layer) -> bool:
    """A copy of a shape to the host lists its input only: the host's copy is no activation."""
    return bool(layer.outputs) or (layer.type == "DeviceToShapeHost" and bool(layer.inputs))


class _Liveness:
    """One pass over the generations. firsts, lasts, is_callers: lifetime and owner of each generation."""

    def __init__(self, engine: Engine) -> None:
        self.layers = engine.layers
        self.roles = [layer.role for layer in self.layers]
        constants = [layer for layer in self.layers if layer.role is Role.CONSTANT]
        self.stored = {tensor.name for layer in constants for tensor in layer.outputs}
        self.has_views = Role.NOOP in self.roles
        bindings = frozenset(binding.name for binding in engine.bindings)
        self.generations = generations_of(self.layers, bindings | self.stored)
        self.is_callers = [generation.name in bindings for generation in self.generations]
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self._known_sizes: dict[tuple[int, bool], Mapping[str, Sequence[int | None]]] = {}

    def lifetimes(self) -> Lifetimes:
        self._set_lifetimes()
        views = self._views() if self.has_views else []
        self._extend_viewed(views)
        values: list[TensorLifetime] = []
        numbers: list[tuple[int, ...]] = []
        for generation, first, last, is_callers in zip(self.generations, self.firsts, self.lasts, self.is_callers):
            value = self._value(generation, first, last, is_callers)
            if value is None:
                numbers.append(())
            else:
                numbers.append((len(values),))
                values.append(value)
        self._add_viewed(views, numbers)
        unnamed = [
            TensorLifetime("", tensor, tensor.size_bytes, position, position, _host_or(DEVICE, tensor))
            for position, layer in enumerate(self.layers)
            for tensor in layer.outputs
            if not tensor.name and layer.role is not Role.CONSTANT and layer.role is not Role.NOOP
        ]
        unlisted = sum(layer.role is Role.KERNEL and not _has_known_outputs(layer) for layer in self.layers)
        return Lifetimes((*values, *unnamed), unlisted, len(unnamed), tuple(numbers), self.generations)

    def _set_lifetimes(self) -> None:
        end = len(self.layers) - 1
        for generation in self.generations:
            writers, readers = generation.writers, generation.readers
            if generation.carried_readers:
                self.firsts.append(0)
                self.lasts.append(end)
                continue
            self.firsts.append(writers[0] if writers else readers[0])
            last = readers[-1] if readers else writers[-1]
            self.lasts.append(last if not writers or last > writers[-1] else writers[-1])

    def _value(self, generation: Generation, first: int, last: int, is_callers: bool) -> TensorLifetime | None:
        writers = generation.writers
        if not writers:
            if generation.name in self.stored:  # a Constant that the file lists after its reader
                return None
        elif self.has_views or self.stored:
            roles = self.roles
            if len(writers) == 1:
                role = roles[writers[0]]
                if role is Role.NOOP or role is Role.CONSTANT:
                    return None
            else:
                writers = tuple([w for w in writers if roles[w] is not Role.NOOP and roles[w] is not Role.CONSTANT])
                if not writers:
                    return None
        tensor = generation.tensor
        memory = _host_or(CALLER if is_callers else DEVICE if writers else GIVEN, tensor)
        size = tensor.size_bytes if len(writers) < 2 else self._size(generation, writers)
        if memory in (CALLER, GIVEN):
            first, last = 0, len(self.layers) - 1
        return TensorLifetime(generation.name, tensor, size, first, last, memory, bool(generation.carried_readers))

    def _size(self, generation: Generation, writers: Iterable[int]) -> int | None:
        """Size of a value with several writers: the sum of what they write, at most the largest size that any writer or
        reader sees.
        """
        name = generation.name
        written = [size for w in writers for size in self._sizes(w, of_outputs=True).get(name, ())]
        sizes = [size for size in written if size is not None]
        if len(sizes) < len(written):
            return None
        read = [size for r in generation.readers for size in self._sizes(r, of_outputs=False).get(name, ())]
        seen = [size for size in read if size is not None]
        return min(sum(sizes), max(*sizes, *seen)) if seen else sum(sizes)

    def _sizes(self, position: int, *, of_outputs: bool) -> Mapping[str, Sequence[int | None]]:
        """{name: sizes of the tensors of this name} that a layer writes, or reads; asked once per tensor."""
        known = self._known_sizes.get((position, of_outputs))
        if known is not None:
            return known
        layer = self.layers[position]
        sizes: dict[str, list[int | None]] = {}
        for tensor in layer.outputs if of_outputs else layer.inputs:
            sizes.setdefault(tensor.name, []).append(tensor.size_bytes)
        return self._known_sizes.setdefault((position, of_outputs), sizes)

    def _views(self) -> list[tuple[list[int], list[int]]]:
        """(generations read, generations written) of each NoOp, in execution order."""
        read: dict[int, list[int]] = {}
        written: dict[int, list[int]] = {}
        for number, generation in enumerate(self.generations):
            readers = (*generation.readers, *generation.carried_readers)
            for side, positions in ((read, readers), (written, generation.writers)):
                for position in positions:
                    if self.roles[position] is Role.NOOP:
                        side.setdefault(position, []).append(number)
        return [(read[position], written[position]) for position in sorted(read) if position in written]

    def _extend_viewed(self, views: list[tuple[list[int], list[int]]]) -> None:
        """A viewed value lives as long as its views, and is the caller's if a view is."""
        for sources, outputs in reversed(views):
            first = 0 if any(self.generations[view].carried_readers for view in outputs) else len(self.layers)
            last = max(self.lasts[view] for view in outputs)
            is_callers = any(self.is_callers[view] for view in outputs)
            for source in sources:
                self.firsts[source] = min(self.firsts[source], first)
                self.lasts[source] = max(self.lasts[source], last)
                self.is_callers[source] |= is_callers

    @staticmethod
    def _add_viewed(views: list[tuple[list[int], list[int]]], numbers: list[tuple[int, ...]]) -> None:
        """Adds the viewed values to each view."""
        for sources, outputs in views:
            viewed = tuple(dict.fromkeys(number for source in sources for number in numbers[source]))[:_MAX_VIEWED]
            for view in outputs:
                numbers[view] = (*numbers[view][:_MAX_VIEWED], *viewed)


def _host_or(memory: str, tensor: Tensor) -> str:
    return HOST if tensor.location == "Host" else memory
