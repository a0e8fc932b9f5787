"""Timeline → Peak: the point of the highest memory use, its values, and what would lower it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.frozen import frozen
from trex.core.layer import Layer
from trex.perf.memory.timeline import Timeline
from trex.plan.lifetimes import Lifetimes, TensorLifetime

_HALF = {
    DataType.FP64: "FP32",
    DataType.FP32: "FP16",
    DataType.FP16: "FP8 or INT8",
    DataType.BF16: "FP8 or INT8",
}


@frozen
class Held:
    """A value that is live at the peak.

    first, last: the layers between which it is live. is_used: the layer at the
    peak reads or writes it; else it only waits for a later one, as a skip connection does. peak_without_bytes: the peak
    without it (fused away, or recomputed).
    """

    value: TensorLifetime
    size_bytes: int
    first: Layer
    last: Layer
    is_used: bool
    peak_without_bytes: int


@frozen
class Relief:
    """One change that would lower the peak. what: in words. peak_bytes: the new peak, recomputed from all values. It
    gives the bytes, not the feasibility.
    """

    what: str
    peak_bytes: int
    saved_bytes: int


@dataclass(frozen=True, slots=True)
class Peak:
    """size_bytes: the most bytes that are live at once. layer: the first at the peak. held: the live values, the
    largest first. reliefs: changes that would lower it, the largest first.
    """

    size_bytes: int
    layer: Layer
    held: tuple[Held, ...]
    reliefs: tuple[Relief, ...]

    @property
    def used_bytes(self) -> int:
        """Bytes that the layer at the peak reads and writes."""
        return sum(value.size_bytes for value in self.held if value.is_used)

    @property
    def waiting_bytes(self) -> int:
        """Bytes that are only kept for later layers."""
        return self.size_bytes - self.used_bytes


def peak_of(
    engine: Engine, values: Lifetimes, numbers: Sequence[int], timeline: Timeline, batch: int | None
) -> Peak | None:
    """The peak of a timeline; None without layers.

    numbers: indexes in ``values.all`` of the timeline's values. batch: the first dimension that the engine's inputs
    share, None if they share none or it is 1.
    """
    position = timeline.peak_position
    if position is None:
        return None
    used = values.used_at(engine.layers[position], position)
    indexes = timeline.alive_at(position)
    held = []
    for index in indexes:
        value, size = values.all[numbers[index]], timeline.sizes[index]
        is_loose = not value.name and value.first == position
        held.append(
            Held(
                value,
                size,
                engine.layers[timeline.firsts[index]],
                engine.layers[timeline.lasts[index]],
                numbers[index] in used or is_loose,
                timeline.peak_without(index),
            )
        )
    scenarios = _Scenarios(timeline, indexes, [values.all[number] for number in numbers], held, batch)
    return Peak(timeline.peak_bytes, engine.layers[position], tuple(held), scenarios.reliefs())


class _Scenarios:
    """Changes of several values at once; each is one pass over all values."""

    def __init__(
        self, timeline: Timeline, indexes: list[int], values: list[TensorLifetime], held: list[Held], batch: int | None
    ) -> None:
        self.timeline, self.indexes, self.values, self.held, self.batch = timeline, indexes, values, held, batch

    def reliefs(self) -> tuple[Relief, ...]:
        """The changes that lower the peak."""
        reliefs = [*self._waiting(), *self._halved(), *self._batches()]
        return tuple(
            sorted((relief for relief in reliefs if relief.saved_bytes > 0), key=lambda relief: -relief.saved_bytes)
        )

    def _relief(self, what: str, sizes: list[int]) -> Relief:
        peak = self.timeline.peak_with(sizes)
        return Relief(what, peak, self.timeline.peak_bytes - peak)

    def _changed(self, indexes: Sequence[int], change: Callable[[int], int]) -> list[int]:
        sizes = list(self.timeline.sizes)
        for index in indexes:
            sizes[index] = change(sizes[index])
        return sizes

    def _waiting(self) -> list[Relief]:
        waiting = [index for index, value in zip(self.indexes, self.held) if not value.is_used and value.size_bytes]
        if len(waiting) < 2:  # a single one has its own row
            return []
        what = f"without the {len(waiting)} tensors that only wait at the peak"
        return [self._relief(what, self._changed(waiting, lambda size: 0))]

    def _halved(self) -> list[Relief]:
        """All tensors of a type that is live at the peak, in half the bytes."""
        reliefs = []
        for data_type in dict.fromkeys(value.value.tensor.data_type for value in self.held):
            narrow = _HALF.get(data_type)
            indexes = [index for index, value in enumerate(self.values) if value.tensor.data_type is data_type]
            if narrow is None or not any(self.timeline.sizes[index] for index in indexes):
                continue
            what = f"{data_type.label} activations in {narrow}"
            reliefs.append(self._relief(what, self._changed(indexes, lambda size: -(-size // 2))))
        return reliefs

    def _batches(self) -> list[Relief]:
        """A tensor scales with the batch if its first dimension is a multiple of it: Myelin flattens batch and tokens,
        or batch and heads, into one.
        """
        batch = self.batch
        if batch is None:
            return []
        leads = [(value.tensor.shape or (None,))[0] for value in self.values]
        scaled = [index for index, lead in enumerate(leads) if lead and lead % batch == 0]
        reliefs = []
        for smaller in dict.fromkeys((batch // 2, 1)):
            if scaled:
                what = f"batch {smaller} instead of {batch}"
                sizes = list(self.timeline.sizes)
                for index in scaled:
                    sizes[index] = -(-sizes[index] * smaller // batch)
                reliefs.append(self._relief(what, sizes))
        return reliefs
