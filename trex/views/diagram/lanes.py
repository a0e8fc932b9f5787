"""Placed rows → lanes: vertical ways next to the boxes for wires that pass many rows or go back up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from trex.views.diagram.cells import Link
from trex.views.diagram.grid import Grid
from trex.views.diagram.placement import Placement

LANE_GAP = 9.0
LANE_MARGIN = 16.0


@dataclass(frozen=True, slots=True)
class Lane:
    """One wire's vertical way. x: in pixels. links: positions of the links that use it."""

    source: int
    x: float
    links: tuple[int, ...]


class _Side:
    """What a lane on one side of the boxes would have in its way, and where it would run."""

    def __init__(self, grid: Grid, heights: Sequence[float], is_right: bool) -> None:
        self.grid, self.is_right = grid, is_right
        self._heights = np.array(heights)
        self._passing = np.zeros(len(grid.rows), np.int64)
        self._place: dict[int, int] = {}
        self._entering: dict[int, list[int]] = {}
        self._leaving: dict[int, list[int]] = {}

    def crossings(self, source: int, targets: Sequence[int]) -> int:
        """Wires that a lane's ways to its boxes would cross: those of boxes further out, and lanes further in."""
        row_of = self.grid.row_of
        ways = [self._further_out(source, self._leaving, self.grid.lowers)]
        ways.extend([self._further_out(target, self._entering, self.grid.uppers) for target in targets])
        rows = [row_of[source], *(row_of[target] for target in targets)]
        return sum(ways) + int(self._passing[rows].sum())

    def highest(self, first: int, last: int) -> float:
        """How far out rows first … last are taken."""
        return float(self._heights[first : last + 1].max())

    def take(self, first: int, last: int) -> float:
        """Where the next lane over rows first … last runs, measured outwards from the middle."""
        outer = self.highest(first, last)
        self._heights[first : last + 1] = outer + LANE_GAP
        self._passing[first : last + 1] += 1
        return outer + LANE_MARGIN

    def _further_out(self, cell: int, sums: dict[int, list[int]], near: list[list[int]]) -> int:
        """Connections of what stands further out on the cell's row; sums over each row are kept."""
        row = self.grid.row_of[cell]
        if row not in sums:
            items = self.grid.rows[row]
            self._place.update((item, position) for position, item in enumerate(items))
            sums[row] = [0, *accumulate([len(near[item]) for item in items])]
        index, along = self._place[cell], sums[row]
        return along[-1] - along[index + 1] if self.is_right else along[index]


def assign_lanes(grid: Grid, links: Sequence[Link], placement: Placement) -> list[Lane]:
    """A lane for each value that goes far or back; shorter ones nearer to the boxes, each on the side where it crosses
    less, or else on the nearer one.
    """
    wires: dict[tuple[int, int, bool], list[int]] = {}
    for position in (*grid.long_links, *grid.back_links):
        link = links[position]
        wires.setdefault((link.source, link.net, link.is_back), []).append(position)
    if not wires:
        return []
    x = placement.x
    reaches = []
    for (source, _, is_back), positions in wires.items():
        rows = [grid.row_of[links[position].target] for position in positions]
        row = grid.row_of[source]
        first, last = (min(*rows, row), max(*rows, row)) if is_back else (row + 1, max(rows) - 1)
        reaches.append((last - first, first, last, source, tuple(positions)))
    reaches.sort()
    right_ends = [max((x[item] + placement.right[item] for item in items), default=0.0) for items in grid.rows]
    left_ends = [max((placement.left[item] - x[item] for item in items), default=0.0) for items in grid.rows]
    right, left = _Side(grid, right_ends, True), _Side(grid, left_ends, False)
    lanes = []
    for _, first, last, source, users in reaches:
        targets = [links[position].target for position in users]
        middle = (sum(x[target] for target in targets) / len(targets) + x[source]) / 2
        to_right = right.highest(first, last) - middle
        to_left = left.highest(first, last) + middle
        costs = (right.crossings(source, targets), to_right), (left.crossings(source, targets), to_left)
        lane = right.take(first, last) if costs[0] <= costs[1] else -left.take(first, last)
        lanes.append(Lane(source, lane, users))
    return lanes
