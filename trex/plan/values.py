"""Engine → Values: what is stored in memory while the engine runs, each from its first writer to its last reader."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from trex.core.collector import collector_paused
from trex.core.engine import Engine
from trex.core.frozen import frozen
from trex.core.layer import Layer, Role
from trex.core.tensor import Tensor
from trex.plan.generations import Generation, generations_of

DEVICE, CALLER, GIVEN, HOST = "device", "caller", "given", "host"
# A view of several things is a view of all of them, as far as one can tell; more are not followed.
_MOST_BEHIND = 64


@frozen
class Value:
    """One value that needs memory of its own.

    name: the tensor's. tensor: as its first writer sees it (its first reader, where nothing writes it). size_bytes:
    None when unknown. first, last: positions in ``engine.layers`` between which it must be kept, both included.
    place: ``device`` (memory that the engine has to find), ``caller`` (an input or output of the engine), ``given``
    (other data that no layer writes: it comes from outside, too) or ``host``.
    carried: a layer reads it before it is written, so it is kept from one run to the next.
    """

    name: str
    tensor: Tensor
    size_bytes: int | None
    first: int
    last: int
    place: str
    carried: bool = False


@dataclass(frozen=True, slots=True)
class Values:
    """all: in order of their names' first appearance. untold: layers of which the file tells no tensors.

    loose: how many of them have no name, so that nothing tells who reads them; they are taken to live while they are
    written only.
    """

    all: tuple[Value, ...]
    untold: int
    loose: int
    _numbers: tuple[tuple[int, ...], ...] = field(repr=False)
    _generations: tuple[Generation, ...] = field(repr=False)

    def used_at(self, layer: Layer, position: int) -> frozenset[int]:
        """Places in ``all`` of the values that the layer at a position of ``engine.layers`` reads or writes, also
        through views; values without a name are not among them. As costly as a pass over all values.
        """
        read = {tensor.name for tensor in layer.inputs}
        written = {tensor.name for tensor in layer.outputs}
        found: set[int] = set()
        for generation, numbers in zip(self._generations, self._numbers):
            reads = generation.name in read and position in (*generation.readers, *generation.carried_readers)
            if reads or (generation.name in written and position in generation.writers):
                # A name that a layer and, behind it, a view write stands for values that come to life later, too.
                found.update(number for number in numbers if self.all[number].first <= position)
        return frozenset(found)


def values_of(engine: Engine) -> Values:
    """The values of an engine, linear in its layers.

    * A name that is written again after it was read is another value (see ``generations_of``).
    * Several layers that write a name which nobody reads in between write one value: the parts of a concatenation,
      which add up to what its readers see, or the branches of a condition, each of which writes the whole.
    * A NoOp makes a view: no value of its own, but what it views is kept until the view's last reader. A NoOp with
      several inputs may view any of them, so all are kept.
    * What Constants write is stored with the engine and no value here.
    * A tensor without a name is a value of the layer that writes it.
    """
    with collector_paused():
        return _Reading(engine).values()


class _Reading:
    """One pass over the generations; firsts, lasts and given are theirs: when each lives, and whether its memory is the
    caller's.
    """

    def __init__(self, engine: Engine) -> None:
        self.layers = engine.layers
        self.roles = [layer.role for layer in self.layers]
        constants = [layer for layer in self.layers if layer.role is Role.CONSTANT]
        self.stored = {tensor.name for layer in constants for tensor in layer.outputs}
        self.has_views = Role.NOOP in self.roles
        bindings = frozenset(binding.name for binding in engine.bindings)
        self.generations = generations_of(self.layers, bindings | self.stored)
        self.given = [generation.name in bindings for generation in self.generations]
        self.firsts: list[int] = []
        self.lasts: list[int] = []

    def values(self) -> Values:
        self._live()
        views = self._views() if self.has_views else []
        self._follow(views)
        found: list[Value] = []
        numbers: list[tuple[int, ...]] = []
        for generation, first, last, given in zip(self.generations, self.firsts, self.lasts, self.given):
            value = self._value(generation, first, last, given)
            if value is None:
                numbers.append(())
            else:
                numbers.append((len(found),))
                found.append(value)
        self._see_through(views, numbers)
        loose = [
            Value("", tensor, tensor.size_bytes, position, position, HOST if tensor.location == "Host" else DEVICE)
            for position, layer in enumerate(self.layers)
            for tensor in layer.outputs
            if not tensor.name and layer.role is not Role.CONSTANT and layer.role is not Role.NOOP
        ]
        untold = sum(layer.role is Role.KERNEL and not layer.lists_tensors for layer in self.layers)
        return Values((*found, *loose), untold, len(loose), tuple(numbers), self.generations)

    def _live(self) -> None:
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

    def _value(self, generation: Generation, first: int, last: int, given: bool) -> Value | None:
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
        place = HOST if tensor.location == "Host" else CALLER if given else DEVICE if writers else GIVEN
        size = tensor.size_bytes if len(writers) < 2 else self._size(generation, writers)
        if place in (CALLER, GIVEN):
            first, last = 0, len(self.layers) - 1
        return Value(generation.name, tensor, size, first, last, place, bool(generation.carried_readers))

    def _size(self, generation: Generation, writers: Iterable[int]) -> int | None:
        """Of a value with several writers: what they write together, but no more than the largest of what they and
        the readers see.
        """
        name = generation.name
        written = [t.size_bytes for w in writers for t in self.layers[w].outputs if t.name == name]
        sizes = [size for size in written if size is not None]
        if len(sizes) < len(written):
            return None
        read = [t.size_bytes for r in generation.readers for t in self.layers[r].inputs if t.name == name]
        seen = [size for size in read if size is not None]
        return min(sum(sizes), max(*sizes, *seen)) if seen else sum(sizes)

    def _views(self) -> list[tuple[list[int], list[int]]]:
        """(generations read, generations written) of each NoOp, in execution order."""
        read: dict[int, list[int]] = {}
        written: dict[int, list[int]] = {}
        for number, generation in enumerate(self.generations):
            readers = (*generation.readers, *generation.carried_readers)
            for found, positions in ((read, readers), (written, generation.writers)):
                for position in positions:
                    if self.roles[position] is Role.NOOP:
                        found.setdefault(position, []).append(number)
        return [(read[position], written[position]) for position in sorted(read) if position in written]

    def _follow(self, views: list[tuple[list[int], list[int]]]) -> None:
        """What a NoOp reads lives as long as what it writes, and is the caller's if that is."""
        for sources, made in reversed(views):
            first = 0 if any(self.generations[view].carried_readers for view in made) else len(self.layers)
            last = max(self.lasts[view] for view in made)
            given = any(self.given[view] for view in made)
            for source in sources:
                self.firsts[source] = min(self.firsts[source], first)
                self.lasts[source] = max(self.lasts[source], last)
                self.given[source] |= given

    @staticmethod
    def _see_through(views: list[tuple[list[int], list[int]]], numbers: list[tuple[int, ...]]) -> None:
        """Adds to each view the values behind it."""
        for sources, made in views:
            behind = tuple(dict.fromkeys(number for source in sources for number in numbers[source]))[:_MOST_BEHIND]
            for view in made:
                numbers[view] = (*numbers[view][:_MOST_BEHIND], *behind)
