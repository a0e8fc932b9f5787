"""Layers in execution order → Generations: the consecutive values of each tensor name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trex.core.collector import collector_paused
from trex.core.frozen import frozen
from trex.core.layer import Layer
from trex.core.tensor import Tensor


@frozen
class Generation:
    """One value under a tensor name, from its writers to its last reader.

    TensorRT reuses names, so a name does not identify a value; (name, number) does.
    number: from 0 per name. writers, readers: distinct positions of layers in execution order, ascending. A generation
    has several writers if no layer reads between them, as for the outputs of conditional branches.
    carried_readers: layers that read the name before any layer writes it: they read the value of the previous
    iteration. tensor: as the first writer (without writers, the first reader) sees it.
    """

    name: str
    number: int
    writers: tuple[int, ...]
    readers: tuple[int, ...]
    tensor: Tensor
    carried_readers: tuple[int, ...] = ()


@dataclass(slots=True)
class _Open:
    number: int
    tensor: Tensor
    writers: list[int] = field(default_factory=list)
    readers: list[int] = field(default_factory=list)
    carried: list[int] = field(default_factory=list)

    def frozen(self, name: str) -> Generation:
        return Generation(name, self.number, tuple(self.writers), tuple(self.readers), self.tensor, tuple(self.carried))


def generations_of(layers: Sequence[Layer], provided: frozenset[str] = frozenset()) -> tuple[Generation, ...]:
    """Every generation of every tensor name, by name in order of first appearance; linear.

    A reader reads the latest earlier writer. A reader before any writer belongs to a generation without writers
    (number 0: external data), unless the name is written later and not in ``provided`` (names that exist before the
    first layer runs: engine inputs, constants): then it is a carried reader of the last generation.
    A layer that reads and writes one name reads the old generation and starts a new one. Tensors without a name have no
    generation: their connections are unknown.
    """
    with collector_paused():
        return tuple(
            generation.frozen(name) for name, history in _histories(layers, provided).items() for generation in history
        )


def _histories(layers: Sequence[Layer], provided: frozenset[str]) -> dict[str, list[_Open]]:
    by_name: dict[str, list[_Open]] = {}
    for position, layer in enumerate(layers):
        for tensor in layer.inputs:
            name = tensor.name
            if not name:
                continue
            history = by_name.get(name)
            if history is None:
                history = by_name[name] = [_Open(0, tensor)]
            readers = history[-1].readers
            if not readers or readers[-1] != position:
                readers.append(position)
        for tensor in layer.outputs:
            name = tensor.name
            if not name:
                continue
            history = by_name.get(name)
            if history is None:
                history = by_name[name] = [_Open(0, tensor)]
            elif history[-1].readers:
                history.append(_Open(len(history), tensor))
            writers = history[-1].writers
            if not writers or writers[-1] != position:
                writers.append(position)
    for name, history in by_name.items():
        first = history[0]
        if len(history) > 1 and not first.writers and name not in provided:
            history[-1].carried = first.readers
            del history[0]
            for number, generation in enumerate(history):
                generation.number = number
    return by_name
