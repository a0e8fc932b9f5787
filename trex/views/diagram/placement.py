"""Grid → x of every item: chains straight, companions next to them, nothing overlapping."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from trex.views.diagram.cells import Cell
from trex.views.diagram.grid import Grid

CELL_GAP = 26.0
PASSAGE_GAP = 12.0
PASSAGE_HALF = 5.0
# Beyond this distance from the middle, wishes are drawn back a little on every row, so that nothing drifts away.
_DRIFT = 2000.0
_RETURN = 0.96

_TRUNK_WEIGHT = 1000.0
_CELL_WEIGHT = 100.0
_MINOR_WEIGHT = 4.0
_PASSAGE_WEIGHT = 1.0
# What is connected to nothing moves aside for all that is.
_LOOSE_WEIGHT = 0.01


class Placement:
    """Horizontal positions: ``x`` holds the center of each item in pixels, the middle of the drawing being 0."""

    def __init__(self, grid: Grid, cells: Sequence[Cell], trunk: Sequence[bool]) -> None:
        self.grid = grid
        count = len(grid.row_of)
        passages = count - len(cells)
        self.x = [0.0] * count
        self.left = [cell.left for cell in cells] + [PASSAGE_HALF] * passages
        # The label of a wire reaches from the middle of the box to the right.
        right = [max(cell.width - cell.left, cell.label_width + 8) for cell in cells]
        self.right = right + [PASSAGE_HALF] * passages
        self.is_free = [not cell.pin for cell in cells]
        linked = [bool(grid.uppers[i] or grid.lowers[i]) for i in range(len(cells))]
        self.weight = [_weight(*item) for item in zip(cells, trunk, linked)] + [_PASSAGE_WEIGHT] * passages
        self.anchor = [self._anchor(items, trunk) for items in grid.rows]
        self._sweep(grid.uppers, None, downwards=True)
        self._sweep(grid.lowers, None, downwards=False)
        self._sweep(grid.uppers, grid.lowers, downwards=True)

    def distance(self, left: int, right: int) -> float:
        """Least distance between the centers of two neighbors on a row."""
        count = self.grid.cell_count
        are_boxes = left < count and right < count and self.is_free[left] and self.is_free[right]
        gap = CELL_GAP if are_boxes else PASSAGE_GAP
        return self.right[left] + self.left[right] + gap

    def _anchor(self, items: Sequence[int], trunk: Sequence[bool]) -> int | None:
        """The item that stands in the middle of the drawing: alone on its row, or its only trunk cell."""
        count = self.grid.cell_count
        if len(items) == 1 and items[0] < count and self.is_free[items[0]]:
            return items[0]
        central = [item for item in items if item < count and trunk[item]]
        return central[0] if len(central) == 1 else None

    def _sweep(self, first: list[list[int]], second: list[list[int]] | None, downwards: bool) -> None:
        grid, rows = self.grid, self.grid.rows
        for row in range(len(rows)) if downwards else range(len(rows) - 1, -1, -1):
            items, anchor = rows[row], self.anchor[row]
            if len(items) == 1 and anchor is not None:
                continue
            wishes = []
            for item in items:
                near = first[item]
                if second is not None and not (grid.is_passage(item) and grid.is_passage(near[0])):
                    # A wire that passes rows goes straight on below where it came from.
                    near = near + second[item]
                wishes.append(0.0 if item == anchor else self._wish(item, near))
            weights = [1e7 if item == anchor else self.weight[item] for item in items]
            gaps = [self.distance(a, b) for a, b in pairwise(items)]
            indexes = settled(wishes, weights, gaps)
            # Exactly in the middle, so that chains are straight to the last digit.
            shift = 0.0 if anchor is None else indexes[items.index(anchor)]
            for item, x in zip(items, indexes):
                self.x[item] = x - shift

    def _wish(self, item: int, near: Sequence[int]) -> float:
        if self.grid.shifts:
            return self._shifted(item, near)
        if not near:
            wish = self.x[item]
        elif len(near) == 1:
            wish = self.x[near[0]]
        else:
            total = sum([self.weight[other] for other in near])
            wish = sum([self.weight[other] * self.x[other] for other in near]) / total
        return wish * _RETURN if abs(wish) > _DRIFT else wish

    def _shifted(self, item: int, near: Sequence[int]) -> float:
        """The wish where wires end at fixed places of cells."""
        x, weight, shifts = self.x, self.weight, self.grid.shifts
        if not near:
            return x[item]
        total = sum([weight[other] for other in near])
        wish = sum([weight[other] * (x[other] + shifts.get((item, other), 0.0)) for other in near]) / total
        return wish * _RETURN if abs(wish) > _DRIFT else wish


def _weight(cell: Cell, is_trunk: bool, is_linked: bool) -> float:
    if not is_linked:
        return _LOOSE_WEIGHT
    if cell.is_minor:
        return _MINOR_WEIGHT
    return _TRUNK_WEIGHT if is_trunk else _CELL_WEIGHT


def settled(wishes: Sequence[float], weights: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """Positions nearest to the wishes (least weighted squares) at which neighbors keep at least ``gaps`` apart.

    With the gaps taken off, positions only have to ascend: isotonic regression, by pooling adjacent violators
    (Barlow, Bartholomew, Bremner and Brunk, Statistical Inference under Order Restrictions, 1972). Linear.
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    blocks: list[tuple[float, float, int]] = []
    for wish, weight, offset in zip(wishes, weights, offsets):
        mean, total, size = wish - offset, weight, 1
        while blocks and blocks[-1][0] > mean:
            other, other_total, other_size = blocks.pop()
            mean = (mean * total + other * other_total) / (total + other_total)
            total += other_total
            size += other_size
        blocks.append((mean, total, size))
    means = [mean for mean, _, size in blocks for _ in range(size)]
    return [mean + offset for mean, offset in zip(means, offsets)]
