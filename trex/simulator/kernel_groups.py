"""KernelGroups: steps joined to future kernels, such that no kernel waits for results that depend on its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trex.simulator.draft_editor import DraftEditor

_FARTHEST = 256
_MOST_LOOKS = 8 * _FARTHEST
"""Limits of the groups that a search looks at and of what they read; they keep the division linear in the network."""


class KernelGroups:
    """Every step begins as a group of its own, called by the step's number."""

    def __init__(self, editor: DraftEditor) -> None:
        self._editor = editor
        self._group_of = {number: number for number in editor}
        self._members = {number: [number] for number in self._group_of}
        self._index_of = {number: index for index, number in enumerate(self._group_of)}
        self._last = dict(self._index_of)
        self._first = dict(self._index_of)
        self._next = editor.count

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._members))

    def group_of(self, number: int) -> int:
        return self._group_of[number]

    def members(self, group: int) -> list[int]:
        """Numbers of its steps, in order of execution; none if all were taken."""
        return sorted(self._members.get(group, ()), key=self._index_of.__getitem__)

    def size(self, group: int) -> int:
        """Number of its steps."""
        return len(self._members.get(group, ()))

    def can_join(self, one: int, other: int) -> bool:
        """Whether no third group lies between two groups."""
        return one != other and not self._reaches(one, other, third=True) and not self._reaches(other, one, third=True)

    def dissolve(self, group: int) -> None:
        """Makes a group of each of its steps."""
        for number in self._members.pop(group):
            name, self._next = self._next, self._next + 1
            self._group_of[number] = name
            self._members[name] = [number]
            self._first[name] = self._last[name] = self._index_of[number]

    def depends(self, group: int, on: int) -> bool:
        """Whether a group needs results of another one."""
        return self._reaches(on, group)

    def join(self, one: int, other: int) -> int:
        """One group of two; its name is that of the first."""
        for number in self._members[other]:
            self._group_of[number] = one
        self._members[one] += self._members.pop(other)
        self._last[one] = max(self._last[one], self._last.pop(other))
        self._first[one] = min(self._first[one], self._first.pop(other))
        return one

    def take(self, number: int, group: int) -> None:
        """Moves a step from its group to another one."""
        self._members[self._group_of[number]].remove(number)
        if not self._members[self._group_of[number]]:
            del self._members[self._group_of[number]]
        self._group_of[number] = group
        self._members[group].append(number)
        index = self._index_of[number]
        self._last[group], self._first[group] = max(self._last[group], index), min(self._first[group], index)

    def _reaches(self, start: int, goal: int, *, third: bool = False) -> bool:
        """Whether a group needs another one's results; third: through a group between them. Steps come in execution
        order, so the search ends where groups end before the first step of the other. Of a search that is still not
        over, the answer is that it does: the groups stay apart.
        """
        begin = self._first[start]
        names = self._reads(goal)
        sources = self._writers(names) - {goal}
        if len(names) > _FARTHEST or (start in sources and not third):
            return True
        waiting = [group for group in sources if group != start]
        seen, looks = {goal, *waiting}, 0
        while waiting:
            group = waiting.pop()
            if self._last[group] < begin:
                continue
            names = self._reads(group)
            looks += len(names)
            if len(names) > _FARTHEST or len(seen) > _FARTHEST or looks > _MOST_LOOKS:
                return True
            for source in self._writers(names):
                if source == start:
                    return True
                if source not in seen:
                    seen.add(source)
                    waiting.append(source)
        return False

    def _reads(self, group: int) -> list[str]:
        """The tensors that a group reads, or some more than the limit of them."""
        return [name for number in self._members[group] for name in self._editor[number].inputs[: _FARTHEST + 1]]

    def _writers(self, names: Iterable[str]) -> set[int]:
        """The groups that write tensors."""
        writers = set(map(self._editor.writer, names))
        return {self._group_of[writer] for writer in writers if writer in self._group_of}
