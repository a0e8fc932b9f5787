"""FormatSearch: a choice for every step, so that steps and the copies between them cost little.

Along a chain the sum is the least: costs are added up forward, and choices made backward. Where branches meet, a
writer's cost is shared among its readers, which is only about right; so afterwards every step tries its other choices,
its neighbors following as far as that gains.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.simulator.draft import Draft
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.implementations import Implementation
from trex.simulator.io_formats import LAUNCH_S, LINEAR, IOFormat, format_bytes, reformat_seconds

_FOLLOWING = 12
"""Neighbors that follow a try, and readers of a tensor whose copies are counted together; so that a search takes time
in proportion to the network."""


class FormatSearch:
    """ways: choices of each step, by its number; ``best`` finds one for each."""

    def __init__(self, editor: DraftEditor, ways: dict[int, tuple[Implementation, ...]], bytes_per_s: float) -> None:
        self.ways = ways
        self.bytes_per_s = bytes_per_s
        draft: Draft = editor.draft
        self.given = {value.name: IOFormat(value.data_type, LINEAR) for value in draft.model.inputs}
        self.wanted = {value.name: IOFormat(value.data_type, LINEAR) for value in draft.model.outputs}
        self.shape_of = editor.shape_of
        self.steps = {number: editor[number] for number in ways}
        self.written_at = {name: (number, at) for number in ways for at, name in enumerate(self.steps[number].outputs)}
        self.read_at: dict[str, list[tuple[int, int]]] = {}
        for number, step in self.steps.items():
            for at, name in enumerate(step.inputs):
                self.read_at.setdefault(name, []).append((number, at))
        self._brought_before: dict[tuple[str, IOFormat, IOFormat | None], float] = {}

    def best(self) -> dict[int, Implementation]:
        """Sums forward along the steps, each writer's shared among its readers; then backward the best choice, with the
        readers' choices known; then every step tries its others.
        """
        sums: dict[int, list[float]] = {}
        for number, ways in self.ways.items():
            sums[number] = [self._so_far(number, choice, sums) for choice in ways]
        chosen: dict[int, Implementation] = {}
        for number in reversed(self.ways):
            ways = self.ways[number]
            totals = [
                so_far + self._behind(number, way, chosen) for so_far, way in zip(sums[number], ways, strict=True)
            ]
            chosen[number] = ways[totals.index(min(totals))]
        for number in self.ways:
            for way in self._worth_trying(number, chosen):
                self._try(number, way, chosen)
        return chosen

    def _worth_trying(self, number: int, chosen: dict[int, Implementation]) -> list[Implementation]:
        """Other choices: all where there is a copy beside the step, else those that are cheaper in themselves."""
        ways, own = self.ways[number], chosen[number]
        if len(ways) == 1:
            return []
        if self._around(number, chosen) > own.seconds + LAUNCH_S / 2:
            return [way for way in ways if way is not own]
        return [way for way in ways if way.seconds < own.seconds]

    def _so_far(self, number: int, choice: Implementation, sums: dict[int, list[float]]) -> float:
        total = choice.seconds
        for at, name in enumerate(self.steps[number].inputs):
            slot = None if choice.reads is None else choice.reads[at]
            writer, place = self.written_at.get(name, (-1, 0))
            if writer not in sums:
                total += self._brought(name, self.given.get(name), slot)
                continue
            shares = len(self.read_at[name]) + (name in self.wanted)
            total += min(
                so_far / shares + self._brought(name, way.writes[place], slot)
                for so_far, way in zip(sums[writer], self.ways[writer], strict=True)
            )
        return total

    def _try(self, number: int, way: Implementation, chosen: dict[int, Implementation]) -> None:
        """Keeps another choice, and what it makes neighbors choose, if all that costs less."""
        before = {number: chosen[number]}
        gained = -self._around(number, chosen)
        chosen[number] = way
        gained += self._around(number, chosen)
        waiting = list(self._neighbors(number))
        for each in waiting:
            ways = self.ways[each]
            if len(ways) == 1 or each in before:
                continue
            old = least = chosen[each]
            now = cost = self._around(each, chosen)
            for other in ways:
                chosen[each] = other
                around = self._around(each, chosen)
                if around < cost:
                    least, cost = other, around
            chosen[each] = least
            if least is not old:
                before[each] = old
                gained += cost - now
                if len(waiting) < _FOLLOWING:
                    waiting += self._neighbors(each)
        if gained >= 0:
            chosen.update(before)

    def _neighbors(self, number: int) -> Iterator[int]:
        """Steps that write what a step reads or read what it writes; not those with very many tensors of their own."""
        step = self.steps[number]
        found = [
            self.written_at[name][0]
            for name in step.inputs[:_FOLLOWING]
            if name in self.written_at and len(self.read_at[name]) <= _FOLLOWING
        ]
        for name in step.outputs[:_FOLLOWING]:
            readers = self.read_at.get(name, ())
            found += [reader for reader, _ in readers if len(readers) <= _FOLLOWING]
        for each in found:
            near = self.steps[each]
            if len(near.inputs) <= _FOLLOWING and len(near.outputs) <= _FOLLOWING:
                yield each

    def _around(self, number: int, chosen: dict[int, Implementation]) -> float:
        """What a step costs with the copies before and behind it."""
        choice = chosen[number]
        total = choice.seconds + self._behind(number, choice, chosen)
        seen: set[str] = set()
        for at, name in enumerate(self.steps[number].inputs):
            writer, place = self.written_at.get(name, (-1, 0))
            given = chosen[writer].writes[place] if writer in chosen else self.given.get(name)
            if given is None or len(self.read_at[name]) > _FOLLOWING:
                total += self._brought(name, given, None if choice.reads is None else choice.reads[at])
            elif name not in seen:
                seen.add(name)
                total += self._served(name, given, chosen)
        return total

    def _behind(self, number: int, choice: Implementation, chosen: dict[int, Implementation]) -> float:
        """Copies of what a step writes."""
        outputs = zip(self.steps[number].outputs, choice.writes, strict=True)
        return sum(self._served(name, slot, chosen) for name, slot in outputs)

    def _served(self, name: str, slot: IOFormat, chosen: dict[int, Implementation]) -> float:
        """Copies of a tensor, one for each slot that it is wanted in, and reading it where any will do."""
        wanted = {self.wanted[name]: None} if name in self.wanted else {}
        free = 0
        for reader, at in self.read_at.get(name, ()):
            if reader in chosen:
                reads = chosen[reader].reads
                if reads is None:
                    free += 1
                else:
                    wanted[reads[at]] = None
        total = sum(self._brought(name, slot, read) for read in wanted)
        if free:
            total += free * min(self._brought(name, each, None) for each in (slot, *wanted))
        return total

    def _brought(self, name: str, given: IOFormat | None, wanted: IOFormat | None) -> float:
        """What a copy to the wanted slot costs, or reading what is given when any will do."""
        if given is None or given == wanted:
            return 0.0
        key = (name, given, wanted)
        found = self._brought_before.get(key)
        if found is None:
            shape = self.shape_of(name)
            if wanted is None:
                found = format_bytes(given, shape) / self.bytes_per_s
            else:
                found = reformat_seconds(given, wanted, shape, self.bytes_per_s)
            self._brought_before[key] = found
        return found
