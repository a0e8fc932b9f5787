"""Placed rows → lanes: vertical ways beside the boxes for wires that pass many rows or go back up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trex.views.diagram.cells import Link
from trex.views.diagram.grid import Grid
from trex.views.diagram.placement import Placement

LANE_GAP = 9.0
LANE_MARGIN = 16.0
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Lane:
    """One wire's vertical way. x: in pixels. links: positions of the links that use it."""

    source: int
    x: float
    first_row: int
    last_row: int
    links: tuple[int, ...]


class Skyline:
    """For each row, how far out it is taken; raised over runs of rows in time near the square root of their number.

    Whole blocks of rows are raised by one number, so a wire over 50 000 rows costs some hundred steps in numpy.
    """

    def __init__(self, heights: Sequence[float]) -> None:
        count = max(1, -(-len(heights) // _BLOCK))
        self._rows = np.full(count * _BLOCK, -np.inf)
        self._rows[: len(heights)] = heights
        self._top = self._rows.reshape(count, _BLOCK).max(axis=1)

    def highest(self, first: int, last: int) -> float:
        """The greatest height of rows first … last, both included."""
        head, tail = first // _BLOCK, last // _BLOCK
        if tail - head < 2:
            return float(self._rows[first : last + 1].max())
        edges = max(self._rows[first : (head + 1) * _BLOCK].max(), self._rows[tail * _BLOCK : last + 1].max())
        return float(max(edges, self._top[head + 1 : tail].max()))

    def raise_to(self, first: int, last: int, height: float) -> None:
        """Raises rows first … last, of which none is higher yet."""
        self._rows[first : last + 1] = height
        head, tail = first // _BLOCK, last // _BLOCK
        self._top[head : tail + 1] = np.maximum(self._top[head : tail + 1], height)


def assign_lanes(grid: Grid, links: Sequence[Link], placement: Placement) -> list[Lane]:
    """A lane for each value that goes far or back; shorter ones nearer to the boxes, each on its nearer side."""
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
    right = Skyline([max((x[item] + placement.right[item] for item in items), default=0.0) for items in grid.rows])
    left = Skyline([max((placement.left[item] - x[item] for item in items), default=0.0) for items in grid.rows])
    lanes = []
    for _, first, last, source, users in reaches:
        middle = sum(x[links[position].target] for position in users) / len(users)
        middle = (middle + x[source]) / 2
        outer_right, outer_left = right.highest(first, last), left.highest(first, last)
        if outer_right - middle <= outer_left + middle:
            right.raise_to(first, last, outer_right + LANE_GAP)
            lane = outer_right + LANE_MARGIN
        else:
            left.raise_to(first, last, outer_left + LANE_GAP)
            lane = -outer_left - LANE_MARGIN
        lanes.append(Lane(source, lane, first, last, users))
    return lanes
