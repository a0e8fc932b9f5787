"""Links in execution order → ranks: on which row of the diagram each cell stands."""

from __future__ import annotations

from collections.abc import Sequence

from trex.views.diagram.cells import Cell, Link

# Cells beyond this many on a row go to the next one, which keeps fans readable.
MAX_PER_ROW = 10


def rank_cells(cells: Sequence[Cell], links: Sequence[Link]) -> list[int]:
    """The row of each cell, from 0, without empty rows; close to linear in cells and links.

    A forward link goes at least one row down: the longest path from above decides. Then cells with more to give than
    to take (an engine input, the first step of a side branch) move down to their readers. Parts of the graph that
    do not touch start one row below what was executed before them, so that engines in pieces do not sprawl, and a
    row holds at most MAX_PER_ROW cells of a fan.
    """
    into: list[list[int]] = [[] for _ in cells]
    out_of: list[list[int]] = [[] for _ in cells]
    nets: list[set[int]] = [set() for _ in cells]
    for link in links:
        if link.is_forward:
            into[link.target].append(link.source)
            out_of[link.source].append(link.target)
            nets[link.source].add(link.net)
    part = parts_of(cells, links)
    ranks, room = _from_above(cells, into, part)
    _towards_readers(cells, into, out_of, nets, ranks, room)
    used = {rank: row for row, rank in enumerate(sorted({rank for rank in ranks if rank is not None}))}
    return [used[rank] if rank is not None else 0 for rank in ranks]


def parts_of(cells: Sequence[Cell], links: Sequence[Link]) -> list[int]:
    """For each cell, the first cell of its connected part; minor cells connect nothing and are parts of their own."""
    parent = list(range(len(cells)))

    def first(cell: int) -> int:
        while parent[cell] != cell:
            parent[cell] = parent[parent[cell]]
            cell = parent[cell]
        return cell

    for link in links:
        if not cells[link.source].is_minor and not cells[link.target].is_minor:
            a, b = first(link.source), first(link.target)
            if a != b:
                parent[max(a, b)] = min(a, b)
    return [first(cell) for cell in range(len(cells))]


class _Room:
    """Which rows are full, and the next one that is not: a union-find over rows, both ways."""

    def __init__(self) -> None:
        self.count: dict[int, int] = {}
        self._below: dict[int, int] = {}
        self._above: dict[int, int] = {}

    def has(self, row: int) -> bool:
        return self.count.get(row, 0) < MAX_PER_ROW

    def take(self, row: int) -> int:
        taken = self.count[row] = self.count.get(row, 0) + 1
        if taken == MAX_PER_ROW:
            self._below[row], self._above[row] = row + 1, row - 1
        return row

    def leave(self, row: int) -> None:
        # A row that once was full stays closed for the search, which only ever costs a little compactness.
        self.count[row] -= 1

    def below(self, row: int) -> int:
        return self._search(self._below, row)

    def above(self, row: int) -> int:
        return self._search(self._above, row)

    @staticmethod
    def _search(step: dict[int, int], row: int) -> int:
        passed = []
        while row in step:
            passed.append(row)
            row = step[row]
        for item in passed:
            step[item] = row
        return row


def _from_above(cells: Sequence[Cell], into: list[list[int]], part: list[int]) -> tuple[list[int | None], _Room]:
    ranks: list[int | None] = [None] * len(cells)
    room = _Room()
    base: dict[int, int] = {}
    previous = -1
    for cell, sources in enumerate(into):
        best = -1
        for source in sources:
            rank = ranks[source]
            if rank is not None and rank >= best:
                best = rank + 1
        if cells[cell].is_minor:
            # An input waits for its readers' rows.
            if best >= 0:
                ranks[cell] = room.take(room.below(best))
            continue
        if best < 0:
            best = base.setdefault(part[cell], previous + 1)
        else:
            base.setdefault(part[cell], best)
        previous = ranks[cell] = room.take(room.below(best))
    return ranks, room


def _towards_readers(
    cells: Sequence[Cell],
    into: list[list[int]],
    out_of: list[list[int]],
    nets: list[set[int]],
    ranks: list[int | None],
    room: _Room,
) -> None:
    executed_at = []
    previous = 0
    for cell, rank in enumerate(ranks):
        executed_at.append(previous)
        if rank is not None and not cells[cell].is_minor:
            previous = rank
    for cell in range(len(cells) - 1, -1, -1):
        below = [rank for rank in (ranks[target] for target in out_of[cell]) if rank is not None]
        rank = ranks[cell]
        if rank is None:
            ranks[cell] = room.take(room.above(min(below) - 1) if below else room.below(0))
        elif below and len(nets[cell]) >= len(into[cell]):
            lowest = min(below) - 1
            if len(nets[cell]) == len(into[cell]):
                # Neither way shortens the wires: it stays with what was executed before it.
                lowest = min(lowest, max(rank, executed_at[cell]))
            if lowest > rank and room.has(lowest):
                room.leave(rank)
                ranks[cell] = room.take(lowest)


def trunk_of(cells: Sequence[Cell], links: Sequence[Link], ranks: Sequence[int]) -> list[bool]:
    """Which cells lie on a longest path of the largest part that has a cell on their row; no cell without links does.

    A row's only trunk cell is what the rest of the row is arranged around.
    """
    part = parts_of(cells, links)
    size: dict[int, int] = {}
    for cell, first in enumerate(part):
        if not cells[cell].is_minor:
            size[first] = size.get(first, 0) + 1
    forward = [
        link
        for link in links
        if link.is_forward and not cells[link.source].is_minor and not cells[link.target].is_minor
    ]
    above, below = [0] * len(cells), [0] * len(cells)
    for link in sorted(forward, key=lambda link: link.target):
        above[link.target] = max(above[link.target], above[link.source] + 1)
    for link in sorted(forward, key=lambda link: -link.source):
        below[link.source] = max(below[link.source], below[link.target] + 1)
    linked = {end for link in links for end in (link.source, link.target)}
    longest: dict[int, int] = {}
    owner: dict[int, int] = {}
    for cell, first in enumerate(part):
        if cells[cell].is_minor:
            continue
        longest[first] = max(longest.get(first, 0), above[cell] + below[cell])
        row = ranks[cell]
        if row not in owner or size[first] > size[owner[row]]:
            owner[row] = first
    return [
        cell in linked
        and not cells[cell].is_minor
        and owner[ranks[cell]] == part[cell]
        and above[cell] + below[cell] == longest[part[cell]]
        for cell in range(len(cells))
    ]
