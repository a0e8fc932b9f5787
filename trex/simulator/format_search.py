"""FormatSearch: an implementation for every step, such that steps and the reformats between them cost little.

Along a chain the sum is minimal: costs are added up forward, and implementations selected backward. At branches a
writer's cost is divided among its readers, which is an approximation; afterwards every step tries its other
implementations, and its neighbors follow as long as that lowers the cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trex.core.shape import Shape
from trex.simulator.draft import NetworkDraft
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.implementations import LAUNCH_S, LINEAR, Implementation, IOFormat, format_bytes, reformat_seconds

_FOLLOWING = 12
"""Limit of the neighbors that follow a trial, and of the readers of a tensor whose reformats are counted together; it
keeps the search linear in the network."""


class _Way(NamedTuple):
    """An implementation whose formats are numbers: they are compared and looked up millions of times.

    position: among the implementations of its step.
    """

    reads: tuple[int, ...] | None
    writes: tuple[int, ...]
    seconds: float
    position: int


class _Needs(NamedTuple):
    """What the readers of a tensor want: formats, and how many steps take any."""

    wanted: tuple[int, ...]
    free: int


class FormatSearch:
    """ways: implementations of each step, by its number; ``best`` selects one for each."""

    def __init__(self, editor: DraftEditor, ways: dict[int, tuple[Implementation, ...]], bytes_per_s: float) -> None:
        self.bytes_per_s = bytes_per_s
        draft: NetworkDraft = editor.draft
        self._implementations = ways
        self._formats: dict[IOFormat, int] = {}
        numbered: dict[int, tuple[_Way, ...]] = {}  # steps share implementations
        for of_step in ways.values():
            if id(of_step) not in numbered:
                numbered[id(of_step)] = tuple(self._numbered(way, index) for index, way in enumerate(of_step))
        self.ways = {number: numbered[id(of_step)] for number, of_step in ways.items()}
        self.given = {value.name: self._format(IOFormat(value.data_type, LINEAR)) for value in draft.model.inputs}
        self.wanted = {value.name: self._format(IOFormat(value.data_type, LINEAR)) for value in draft.model.outputs}
        self.steps = {number: editor[number] for number in ways}
        self.written_at = {name: (number, at) for number in ways for at, name in enumerate(self.steps[number].outputs)}
        self.read_at: dict[str, list[tuple[int, int]]] = {}
        for number, step in self.steps.items():
            for at, name in enumerate(step.inputs):
                self.read_at.setdefault(name, []).append((number, at))
        self._formats_by_number = tuple(self._formats)
        shapes: dict[Shape | None, int] = {}
        names = (*self.written_at, *self.read_at, *self.given)
        self._shape_of = {name: shapes.setdefault(editor.shape_of(name), len(shapes)) for name in names}
        self._shapes = tuple(shapes)
        self._brought_before: dict[tuple[int, int, int | None], float] = {}
        self._arrived_before: dict[tuple[str, int | None], float] = {}

    def _format(self, slot: IOFormat) -> int:
        return self._formats.setdefault(slot, len(self._formats))

    def _numbered(self, way: Implementation, index: int) -> _Way:
        reads = None if way.reads is None else tuple(map(self._format, way.reads))
        return _Way(reads, tuple(map(self._format, way.writes)), way.seconds, index)

    def best(self) -> dict[int, Implementation]:
        """Forward sums along the steps, each writer's divided among its readers; then backward the best implementation,
        given the readers' ones; then every step tries its others.
        """
        sums: dict[int, list[float]] = {}
        for number in self.ways:
            sums[number] = self._costs_until(number, sums)
        chosen: dict[int, _Way] = {}
        for number in reversed(self.ways):
            ways = self.ways[number]
            needs = self._needs_behind(number, chosen)
            totals = [
                cost_until + self._behind(number, way, needs)
                for cost_until, way in zip(sums[number], ways, strict=True)
            ]
            chosen[number] = ways[totals.index(min(totals))]
        for number in self.ways:
            for way in self._worth_trying(number, chosen):
                self._try(number, way, chosen)
        return {number: self._implementations[number][way.position] for number, way in chosen.items()}

    def _worth_trying(self, number: int, chosen: dict[int, _Way]) -> list[_Way]:
        """Other implementations: all if there is an adjacent reformat, else the cheaper ones."""
        ways, own = self.ways[number], chosen[number]
        if len(ways) == 1:
            return []
        if self._around(number, chosen) > own.seconds + LAUNCH_S / 2:
            return [way for way in ways if way is not own]
        return [way for way in ways if way.seconds < own.seconds]

    def _costs_until(self, number: int, sums: dict[int, list[float]]) -> list[float]:
        """Cost of the network until a step is done, with each of its implementations."""
        names = self.steps[number].inputs
        arrived_in: dict[tuple[int, ...] | None, list[float]] = {}
        totals = []
        for way in self.ways[number]:
            if way.reads not in arrived_in:
                slots = (None,) * len(names) if way.reads is None else way.reads
                arrived_in[way.reads] = [self._arrived(name, slot, sums) for name, slot in zip(names, slots)]
            total = way.seconds
            for cost in arrived_in[way.reads]:
                total += cost
            totals.append(total)
        return totals

    def _arrived(self, name: str, slot: int | None, sums: dict[int, list[float]]) -> float:
        """Cost of a tensor in a format, the reader's share of its writer's; the same for all of its readers."""
        before = self._arrived_before.get((name, slot))
        if before is not None:
            return before
        writer, output = self.written_at.get(name, (-1, 0))
        if writer not in sums:
            return self._brought(name, self.given.get(name), slot)
        shares = len(self.read_at[name]) + (name in self.wanted)
        cost = min(
            cost_until / shares + self._brought(name, way.writes[output], slot)
            for cost_until, way in zip(sums[writer], self.ways[writer], strict=True)
        )
        self._arrived_before[name, slot] = cost
        return cost

    def _try(self, number: int, way: _Way, chosen: dict[int, _Way]) -> None:
        """Keeps another implementation, and its neighbors' changes, if the total cost falls."""
        before = {number: chosen[number]}
        gained = -self._around(number, chosen)
        chosen[number] = way
        gained += self._around(number, chosen)
        waiting = list(self._neighbors(number))
        for neighbor in waiting:
            ways = self.ways[neighbor]
            if len(ways) == 1 or neighbor in before:
                continue
            old = least = chosen[neighbor]
            now = cost = self._around(neighbor, chosen)
            for other in ways:
                chosen[neighbor] = other
                around = self._around(neighbor, chosen)
                if around < cost:
                    least, cost = other, around
            chosen[neighbor] = least
            if least is not old:
                before[neighbor] = old
                gained += cost - now
                if len(waiting) < _FOLLOWING:
                    waiting += self._neighbors(neighbor)
        if gained >= 0:
            chosen.update(before)

    def _neighbors(self, number: int) -> Iterator[int]:
        """Steps that write a step's inputs or read its outputs; without those with very many tensors."""
        step = self.steps[number]
        neighbors = [
            self.written_at[name][0]
            for name in step.inputs[:_FOLLOWING]
            if name in self.written_at and len(self.read_at[name]) <= _FOLLOWING
        ]
        for name in step.outputs[:_FOLLOWING]:
            readers = self.read_at.get(name, ())
            neighbors += [reader for reader, _ in readers if len(readers) <= _FOLLOWING]
        for neighbor in neighbors:
            near = self.steps[neighbor]
            if len(near.inputs) <= _FOLLOWING and len(near.outputs) <= _FOLLOWING:
                yield neighbor

    def _around(self, number: int, chosen: dict[int, _Way]) -> float:
        """Cost of a step with the reformats before and after it."""
        choice = chosen[number]
        total = choice.seconds + self._behind(number, choice, self._needs_behind(number, chosen))
        seen: set[str] = set()
        for at, name in enumerate(self.steps[number].inputs):
            writer, output = self.written_at.get(name, (-1, 0))
            given = chosen[writer].writes[output] if writer in chosen else self.given.get(name)
            if given is None or len(self.read_at[name]) > _FOLLOWING:
                total += self._brought(name, given, None if choice.reads is None else choice.reads[at])
            elif name not in seen:
                seen.add(name)
                total += self._served(name, given, self._needs(name, chosen))
        return total

    def _behind(self, number: int, choice: _Way, needs: Sequence[_Needs]) -> float:
        """Reformats of a step's outputs."""
        if len(needs) == 1:
            return self._served(self.steps[number].outputs[0], choice.writes[0], needs[0])
        outputs = zip(self.steps[number].outputs, choice.writes, needs, strict=True)
        return sum(self._served(name, slot, need) for name, slot, need in outputs)

    def _needs_behind(self, number: int, chosen: dict[int, _Way]) -> list[_Needs]:
        return [self._needs(name, chosen) for name in self.steps[number].outputs]

    def _needs(self, name: str, chosen: dict[int, _Way]) -> _Needs:
        """What readers want of a tensor."""
        wanted = {self.wanted[name]: None} if name in self.wanted else {}
        free = 0
        for reader, at in self.read_at.get(name, ()):
            if reader in chosen:
                reads = chosen[reader].reads
                if reads is None:
                    free += 1
                else:
                    wanted[reads[at]] = None
        return _Needs(tuple(wanted), free)

    def _served(self, name: str, slot: int, needs: _Needs) -> float:
        """Reformats of a tensor, one for each wanted format, and the reads of steps that take any format."""
        if len(needs.wanted) == 1 and not needs.free:
            return self._brought(name, slot, needs.wanted[0])
        total = sum(self._brought(name, slot, read) for read in needs.wanted)
        if needs.free:
            total += needs.free * min(self._brought(name, version, None) for version in (slot, *needs.wanted))
        return total

    def _brought(self, name: str, given: int | None, wanted: int | None) -> float:
        """Cost of a reformat to the wanted format, or of reading the given one if any will do."""
        if given is None or given == wanted:
            return 0.0
        number = self._shape_of[name]
        seconds = self._brought_before.get((number, given, wanted))
        if seconds is None:
            shape, slot = self._shapes[number], self._formats_by_number[given]
            if wanted is None:
                seconds = format_bytes(slot, shape) / self.bytes_per_s
            else:
                seconds = reformat_seconds(slot, self._formats_by_number[wanted], shape, self.bytes_per_s)
            self._brought_before[number, given, wanted] = seconds
        return seconds
