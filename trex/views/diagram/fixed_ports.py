"""Grid and links that end at fixed places of large cells → rows and wishes that mind these places.

To the order of rows a cell is one place, which is enough for boxes. At a frame, wires come in and go out where its
inside wants them: among those that go to the same frame, the order of the places decides what crosses.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.grid import Grid

_SWEEPS = 6
# Pairs of rows with more connections than this are left as they are.
_MOST_COUNTED = 4000


def mind_ports(grid: Grid, cells: Sequence[Cell], links: Sequence[Link]) -> None:
    """Rearranges rows where fewer wires cross then, and fills ``grid.shifts``; in time close to linear."""
    parts: dict[tuple[int, int], float] = {}
    back = {*grid.long_links, *grid.back_links}
    for position, link in enumerate(links):
        if position in back or (link.leave is None and link.enter is None):
            continue
        chain = grid.chains.get((link.source, link.net), [])[: grid.row_of[link.target] - grid.row_of[link.source] - 1]
        below, above = chain[0] if chain else link.target, chain[-1] if chain else link.source
        source, target = cells[link.source], cells[link.target]
        if link.leave is not None:
            parts[link.source, below] = link.leave / source.width - 0.5
            _shift(grid, link.source, below, link.leave - source.left)
        if link.enter is not None:
            parts[link.target, above] = link.enter / target.width - 0.5
            _shift(grid, link.target, above, link.enter - target.left)
    if parts:
        _Order(grid, parts).improve()


def _shift(grid: Grid, cell: int, other: int, offset: float) -> None:
    """The connection of a cell and another item is at ``offset`` from the cell's axis."""
    grid.shifts[other, cell] = grid.shifts.get((other, cell), 0.0) + offset
    grid.shifts[cell, other] = grid.shifts.get((cell, other), 0.0) - offset


class _Order:
    """parts: by (cell, item it is connected to), where the connection is: -0.5 at the left corner, 0.5 at the right."""

    def __init__(self, grid: Grid, parts: dict[tuple[int, int], float]) -> None:
        self.grid, self.parts = grid, parts
        self.place = [0] * len(grid.row_of)
        for items in grid.rows:
            self._put(items)

    def improve(self) -> None:
        grid = self.grid
        best, fewest = [list(items) for items in grid.rows], self._crossings()
        for sweep in range(_SWEEPS):
            if fewest == 0:
                break
            down = sweep % 2 == 0
            for row in range(len(grid.rows)) if down else range(len(grid.rows) - 1, -1, -1):
                if len(grid.rows[row]) > 1:
                    self._sort(row, grid.uppers if down else grid.lowers)
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(items) for items in grid.rows], crossings
        grid.rows[:] = best

    def _put(self, items: Sequence[int]) -> None:
        for position, item in enumerate(items):
            self.place[item] = position

    def _at(self, item: int, other: int) -> float:
        """Where on its row an item's connection to another is."""
        # A little less than a place, so that no two cells' connections come to lie on one another.
        return self.place[item] + 0.9 * self.parts.get((item, other), 0.0)

    def _sort(self, row: int, neighbors: list[list[int]]) -> None:
        wish: dict[int, float] = {}
        for item in self.grid.rows[row]:
            near = neighbors[item]
            wish[item] = sum([self._at(other, item) for other in near]) / len(near) if near else self.place[item]
        items = sorted(self.grid.rows[row], key=wish.__getitem__)
        self.grid.rows[row] = items
        self._put(items)

    def _crossings(self) -> int:
        return sum([self._crossings_below(row) for row in range(len(self.grid.rows) - 1)])

    def _crossings_below(self, row: int) -> int:
        ends = []
        for item in self.grid.rows[row]:
            ends.extend([(self._at(item, lower), self._at(lower, item)) for lower in self.grid.lowers[item]])
        if not 1 < len(ends) <= _MOST_COUNTED:
            return 0
        ends.sort()
        crossings, seen = 0, list[float]()
        for _, end in ends:
            crossings += len(seen) - bisect_left(seen, end)
            insort(seen, end)
        return crossings
