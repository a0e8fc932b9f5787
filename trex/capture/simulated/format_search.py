"""FormatSearch: a choice for every step, so that steps and the copies between them cost little.

Along a chain the sum is the least: costs are added up forward, and choices made backward. Where branches meet, a
writer's cost is shared among its readers, which is only about right; so afterwards every step tries its other choices,
its neighbours following as far as that gains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trex.capture.simulated.choices import Choice
from trex.capture.simulated.draft import Draft
from trex.capture.simulated.slots import LINEAR, Slot, copy_seconds, slot_bytes
from trex.capture.simulated.workbench import Workbench

_FOLLOWING = 12
"""Neighbours that follow a try, and readers of a tensor whose copies are counted together; so that a search takes time
in proportion to the network."""


class FormatSearch:
    """Choices by number of step; ``best`` finds one for each."""

    def __init__(self, bench: Workbench, ways: dict[int, tuple[Choice, ...]], bytes_per_s: float) -> None:
        self.bench = bench
        self.ways = ways
        self.bytes_per_s = bytes_per_s
        self._copies: dict[tuple[str, Slot, Slot], float] = {}
        draft: Draft = bench.draft
        self.given = {value.name: Slot(value.data_type, LINEAR) for value in draft.model.inputs}
        self.wanted = {value.name: Slot(value.data_type, LINEAR) for value in draft.model.outputs}

    def best(self, numbers: list[int]) -> dict[int, Choice]:
        """Sums forward along the steps, each writer's shared among its readers; then backward the best choice, with the
        readers' choices known.
        """
        sums: dict[int, list[float]] = {}
        for number in numbers:
            sums[number] = [self._so_far(number, choice, sums) for choice in self.ways[number]]
        chosen: dict[int, Choice] = {}
        for number in reversed(numbers):
            ways = self.ways[number]
            if len(ways) == 1:
                chosen[number] = ways[0]
                continue
            totals = [
                so_far + self._behind(number, way, chosen) for so_far, way in zip(sums[number], ways, strict=True)
            ]
            chosen[number] = ways[totals.index(min(totals))]
        for _ in range(2):
            self._settle(numbers, chosen)
        return chosen

    def _so_far(self, number: int, choice: Choice, sums: dict[int, list[float]]) -> float:
        total = choice.seconds
        for name, slot in self._reads(number, choice):
            writer = self.bench.writer(name)
            if writer is None or writer not in sums:
                total += self._brought(name, self.given.get(name), slot)
                continue
            place = self.bench[writer].outputs.index(name)
            shares = len(self.bench.readers(name)) + self.bench.is_result(name)
            total += min(
                so_far / shares + self._brought(name, way.writes[place], slot)
                for so_far, way in zip(sums[writer], self.ways[writer], strict=True)
            )
        return total

    def _behind(self, number: int, choice: Choice, chosen: dict[int, Choice]) -> float:
        """Copies of what a step writes."""
        outputs = zip(self.bench[number].outputs, choice.writes, strict=True)
        return sum(self._served(name, slot, self.bench.readers(name), chosen) for name, slot in outputs)

    def _settle(self, numbers: list[int], chosen: dict[int, Choice]) -> None:
        """Tries every other choice, with the neighbours following as far as that gains, and keeps what costs less."""
        for number in numbers:
            ways = self.ways[number]
            for way in ways if len(ways) > 1 else ():
                if way is not chosen[number]:
                    self._try(number, way, chosen)

    def _try(self, number: int, way: Choice, chosen: dict[int, Choice]) -> None:
        before = {number: chosen[number]}
        gained = -self._around(number, chosen)
        chosen[number] = way
        gained += self._around(number, chosen)
        waiting = list(self._neighbours(number))
        for each in waiting:
            ways = self.ways[each]
            if len(ways) == 1 or each in before:
                continue
            old = chosen[each]
            least, cost = old, self._around(each, chosen)
            own = cost
            for other in ways:
                chosen[each] = other
                around = self._around(each, chosen)
                if around < cost:
                    least, cost = other, around
            chosen[each] = least
            if least is not old:
                before[each] = old
                gained += cost - own
                if len(waiting) < _FOLLOWING:
                    waiting += self._neighbours(each)
        if gained >= 0:
            chosen.update(before)

    def _neighbours(self, number: int) -> Iterator[int]:
        """Steps that write what a step reads or read what it writes, when there are not too many."""
        step = self.bench[number]
        for name in step.inputs:
            writer = self.bench.writer(name)
            if writer is not None and writer in self.ways:
                yield writer
        for name in step.outputs:
            readers = self.bench.readers(name)
            if len(readers) <= _FOLLOWING:
                yield from readers

    def _around(self, number: int, chosen: dict[int, Choice]) -> float:
        """What a step costs with the copies before and behind it."""
        choice = chosen[number]
        total = choice.seconds + self._behind(number, choice, chosen)
        for name, slot in dict.fromkeys(self._reads(number, choice)):
            writer = self.bench.writer(name)
            given = self.given.get(name)
            if writer is not None and writer in chosen:
                given = chosen[writer].writes[self.bench[writer].outputs.index(name)]
            readers = self.bench.readers(name)
            if len(readers) <= _FOLLOWING and given is not None:
                total += self._served(name, given, readers, chosen)
            else:
                total += self._brought(name, given, slot)
        return total

    def _served(self, name: str, slot: Slot, readers: Iterable[int], chosen: dict[int, Choice]) -> float:
        """Copies of a tensor, one for each slot that it is wanted in, and reading it where any will do."""
        wanted = [self.wanted[name]] if name in self.wanted else []
        free = 0
        for reader in readers:
            for each, read in self._reads(reader, chosen[reader]) if reader in chosen else ():
                if each == name and read is None:
                    free += 1
                elif each == name and read is not None:
                    wanted.append(read)
        slots = dict.fromkeys(wanted)
        total = sum(self._brought(name, slot, read) for read in slots)
        if free:
            total += free * min(self._brought(name, each, None) for each in (slot, *slots))
        return total

    def _reads(self, number: int, choice: Choice) -> list[tuple[str, Slot | None]]:
        """(input, slot that it is read in); None for what is read as it is."""
        inputs = self.bench[number].inputs
        return list(zip(inputs, choice.reads or (None,) * len(inputs), strict=True))

    def _brought(self, name: str, given: Slot | None, wanted: Slot | None) -> float:
        """What a copy to the wanted slot costs, or reading what is given when any will do."""
        if given is None:
            return 0.0
        if wanted is None:
            return slot_bytes(given, self.bench.shape_of(name)) / self.bytes_per_s
        return self._copy(name, given, wanted)

    def _copy(self, name: str, one: Slot, other: Slot) -> float:
        if one == other:
            return 0.0
        key = (name, one, other)
        found = self._copies.get(key)
        if found is None:
            found = copy_seconds(one, other, self.bench.shape_of(name), self.bytes_per_s)
            self._copies[key] = found
        return found
