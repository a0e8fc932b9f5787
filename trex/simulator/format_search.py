"""FormatSearch: an implementation for every step, such that steps and the reformats between them cost little.

Along a chain the sum is minimal: costs are added up forward, and implementations selected backward. At branches a
writer's cost is divided among its readers, which is an approximation; afterwards every step tries its other
implementations, and its neighbors follow as long as that lowers the cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.simulator.draft import NetworkDraft
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.implementations import LAUNCH_S, LINEAR, Implementation, IOFormat, format_bytes, reformat_seconds

_FOLLOWING = 12
"""Limit of the neighbors that follow a trial, and of the readers of a tensor whose reformats are counted together; it
keeps the search linear in the network."""


class FormatSearch:
    """ways: implementations of each step, by its number; ``best`` selects one for each."""

    def __init__(self, editor: DraftEditor, ways: dict[int, tuple[Implementation, ...]], bytes_per_s: float) -> None:
        self.ways = ways
        self.bytes_per_s = bytes_per_s
        draft: NetworkDraft = editor.draft
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
        """Forward sums along the steps, each writer's divided among its readers; then backward the best implementation,
        given the readers' ones; then every step tries its others.
        """
        sums: dict[int, list[float]] = {}
        for number, ways in self.ways.items():
            sums[number] = [self._cost_until(number, choice, sums) for choice in ways]
        chosen: dict[int, Implementation] = {}
        for number in reversed(self.ways):
            ways = self.ways[number]
            totals = [
                cost_until + self._behind(number, way, chosen)
                for cost_until, way in zip(sums[number], ways, strict=True)
            ]
            chosen[number] = ways[totals.index(min(totals))]
        for number in self.ways:
            for way in self._worth_trying(number, chosen):
                self._try(number, way, chosen)
        return chosen

    def _worth_trying(self, number: int, chosen: dict[int, Implementation]) -> list[Implementation]:
        """Other implementations: all if there is an adjacent reformat, else the cheaper ones."""
        ways, own = self.ways[number], chosen[number]
        if len(ways) == 1:
            return []
        if self._around(number, chosen) > own.seconds + LAUNCH_S / 2:
            return [way for way in ways if way is not own]
        return [way for way in ways if way.seconds < own.seconds]

    def _cost_until(self, number: int, choice: Implementation, sums: dict[int, list[float]]) -> float:
        total = choice.seconds
        for at, name in enumerate(self.steps[number].inputs):
            slot = None if choice.reads is None else choice.reads[at]
            writer, output = self.written_at.get(name, (-1, 0))
            if writer not in sums:
                total += self._brought(name, self.given.get(name), slot)
                continue
            shares = len(self.read_at[name]) + (name in self.wanted)
            total += min(
                cost_until / shares + self._brought(name, way.writes[output], slot)
                for cost_until, way in zip(sums[writer], self.ways[writer], strict=True)
            )
        return total

    def _try(self, number: int, way: Implementation, chosen: dict[int, Implementation]) -> None:
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

    def _around(self, number: int, chosen: dict[int, Implementation]) -> float:
        """Cost of a step with the reformats before and after it."""
        choice = chosen[number]
        total = choice.seconds + self._behind(number, choice, chosen)
        seen: set[str] = set()
        for at, name in enumerate(self.steps[number].inputs):
            writer, output = self.written_at.get(name, (-1, 0))
            given = chosen[writer].writes[output] if writer in chosen else self.given.get(name)
            if given is None or len(self.read_at[name]) > _FOLLOWING:
                total += self._brought(name, given, None if choice.reads is None else choice.reads[at])
            elif name not in seen:
                seen.add(name)
                total += self._served(name, given, chosen)
        return total

    def _behind(self, number: int, choice: Implementation, chosen: dict[int, Implementation]) -> float:
        """Reformats of a step's outputs."""
        outputs = zip(self.steps[number].outputs, choice.writes, strict=True)
        return sum(self._served(name, slot, chosen) for name, slot in outputs)

    def _served(self, name: str, slot: IOFormat, chosen: dict[int, Implementation]) -> float:
        """Reformats of a tensor, one for each wanted format, and the reads of steps that take any format."""
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
            total += free * min(self._brought(name, version, None) for version in (slot, *wanted))
        return total

    def _brought(self, name: str, given: IOFormat | None, wanted: IOFormat | None) -> float:
        """Cost of a reformat to the wanted format, or of reading the given one if any will do."""
        if given is None or given == wanted:
            return 0.0
        key = (name, given, wanted)
        seconds = self._brought_before.get(key)
        if seconds is None:
            shape = self.shape_of(name)
            if wanted is None:
                seconds = format_bytes(given, shape) / self.bytes_per_s
            else:
                seconds = reformat_seconds(given, wanted, shape, self.bytes_per_s)
            self._brought_before[key] = seconds
        return seconds
