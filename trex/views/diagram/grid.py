"""Ranked cells → Grid: rows of items, in which links that pass a row hold a place of their own."""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field

from trex.views.diagram.cells import Cell, Link

# Links over more rows than this run in a lane next to the drawing instead of through every row.
LONGEST_THROUGH = 16
# Pairs of rows with more connections than this are not counted when crossings are compared.
_MAX_COUNTED = 4000
SWEEPS = 12
# Sweeps without a better arrangement after which it is left at that.
_PATIENCE = 4
# Distance of the outermost places of a cell's connections: a little less than that of two items on a row, so that no
# two cells' connections come to lie on one another.
_SPREAD = 0.9
# How often the neighbors of a row are gone through in one sweep, and the most pairs of wires that are compared.
_EXCHANGES = 3
_MOST_PAIRS = 400


@dataclass(slots=True)
class Grid:
    """Items are cells (numbers below ``cell_count``) and passages: places where a wire passes a row.

    rows: items from left to right. row_of: by item. uppers, lowers: for each item, what it is connected to on the row
    above and below. chains: for each (source, net), its passages from the row below the source downwards.
    long_links, back_links: positions of links that are not part of the rows. shifts: for connections that end at a
    fixed place of a cell, by (item, item it is connected to), how far to the right of the other's axis the item's own
    is when the wire between them is straight. parts: by (cell, item it is connected to), where on the cell that is,
    -0.45 near its left corner, 0.45 near its right one; see ``mind_ports``.
    """

    cell_count: int
    rows: list[list[int]]
    row_of: list[int]
    uppers: list[list[int]]
    lowers: list[list[int]]
    chains: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    long_links: list[int] = field(default_factory=list)
    back_links: list[int] = field(default_factory=list)
    shifts: dict[tuple[int, int], float] = field(default_factory=dict)
    parts: dict[tuple[int, int], float] = field(default_factory=dict)

    def is_passage(self, item: int) -> bool:
        return item >= self.cell_count


def make_grid(cells: Sequence[Cell], links: Sequence[Link], ranks: Sequence[int]) -> Grid:
    """Rows in order of execution, with passages for links that are not too long.

    The passages are at most about twice as many as the cells, whatever the engine: the limit on the length of a
    link that goes through the rows shrinks where there would be more.
    """
    reach: dict[tuple[int, int], list[int]] = {}
    for link in links:
        if link.is_forward:
            spans = reach.setdefault((link.source, link.net), [])
            spans.append(ranks[link.target] - ranks[link.source])
    limit = _longest_through(reach, 2 * len(cells) + 64)
    grid = Grid(len(cells), [[] for _ in range(max(ranks, default=-1) + 1)], list(ranks), [], [])
    grid.uppers = [[] for _ in cells]
    grid.lowers = [[] for _ in cells]
    for (source, net), spans in reach.items():
        length = max((span for span in spans if span <= limit), default=0)
        if length > 1:
            grid.chains[source, net] = _chain(grid, source, length - 1)
    # Passages first: where nothing else decides, wires pass on the left, since words stand on the right of theirs.
    for cell, rank in enumerate(ranks):
        grid.rows[rank].append(cell)
    joined: set[tuple[int, int]] = set()
    for position, link in enumerate(links):
        if link.is_back:
            grid.back_links.append(position)
            continue
        span = ranks[link.target] - ranks[link.source]
        if span > limit:
            grid.long_links.append(position)
            continue
        upper = link.source if span == 1 else grid.chains[link.source, link.net][span - 2]
        if (upper, link.target) not in joined:
            joined.add((upper, link.target))
            _join(grid, upper, link.target)
    return grid


def _longest_through(reach: dict[tuple[int, int], list[int]], most: int) -> int:
    limit = LONGEST_THROUGH
    while limit > 1:
        needed = 0
        for spans in reach.values():
            if len(spans) == 1:
                needed += spans[0] - 1 if spans[0] <= limit else 0
            else:
                needed += max((span for span in spans if span <= limit), default=1) - 1
        if needed <= most:
            break
        limit //= 2
    return limit


def _chain(grid: Grid, source: int, length: int) -> list[int]:
    upper, row = source, grid.row_of[source]
    chain = []
    for step in range(1, length + 1):
        item = len(grid.row_of)
        grid.row_of.append(row + step)
        grid.uppers.append([])
        grid.lowers.append([])
        grid.rows[row + step].append(item)
        _join(grid, upper, item)
        chain.append(item)
        upper = item
    return chain


def _join(grid: Grid, upper: int, lower: int) -> None:
    grid.lowers[upper].append(lower)
    grid.uppers[lower].append(upper)


def order_rows(grid: Grid, sweeps: int = SWEEPS) -> None:
    """Arranges every row so that few wires cross: each item goes to the mean place of its neighbors, down and up
    in turn, then neighbors on a row change places where that helps; the best arrangement seen stays. Ties keep the
    order of execution, so the result is the same every time.

    Rows between two rows of one item each do not depend on the others, and are arranged for themselves.
    """
    index = [0] * len(grid.row_of)
    for items in grid.rows:
        _put(items, index)
    run: list[int] = []
    for row, items in enumerate(grid.rows):
        if len(items) > 1:
            run.append(row)
        elif run:
            _order_run(grid, run, index, sweeps)
            run = []
    if run:
        _order_run(grid, run, index, sweeps)


def _order_run(grid: Grid, run: list[int], index: list[int], sweeps: int) -> None:
    """Arranges rows one below the other, starting once from above and, unless nothing crosses then, from below."""
    gaps = range(max(0, run[0] - 1), min(run[-1] + 1, len(grid.rows) - 1))
    given = [grid.rows[row] for row in run]
    best, fewest = given, math.inf
    for start in (0, 1):
        for row, items in zip(run, given):
            grid.rows[row] = list(items)
            _put(items, index)
        least, unimproved = math.inf, 0
        for sweep in range(start, start + sweeps):
            down = sweep % 2 == 0
            for row in run if down else reversed(run):
                _sort_row(grid, row, grid.uppers if down else grid.lowers, index)
            for row in run:
                _exchange(grid, row, index, sweep % 4 > 1)
            crossings = sum([_crossings(grid, gap, index) for gap in gaps])
            if crossings < fewest:
                fewest, best = crossings, [list(grid.rows[row]) for row in run]
            unimproved = 0 if crossings < least else unimproved + 1
            least = min(least, crossings)
            if crossings == 0 or unimproved == _PATIENCE:
                break
        if fewest == 0:
            break
    for row, items in zip(run, best):
        grid.rows[row] = items


def _put(items: Sequence[int], index: list[int]) -> None:
    for position, item in enumerate(items):
        index[item] = position


def _exchange(grid: Grid, row: int, index: list[int], also_equal: bool) -> None:
    """Neighbors on a row change places where fewer wires cross then; if ``also_equal``, or as many."""
    items, uppers, lowers = grid.rows[row], grid.uppers, grid.lowers
    for _ in range(_EXCHANGES):
        changed = False
        for position in range(len(items) - 1):
            left, right = items[position], items[position + 1]
            gain = sum(
                [
                    _gain(_ends(grid, left, near[left], index), _ends(grid, right, near[right], index))
                    for near in (uppers, lowers)
                ]
            )
            if gain > 0 or (gain == 0 and also_equal):
                items[position], items[position + 1] = right, left
                index[left], index[right] = position + 1, position
                changed = changed or gain > 0
        if not changed:
            break
        also_equal = False


def _ends(grid: Grid, item: int, near: list[int], index: list[int]) -> list[float]:
    """Where on their rows an item's connections to others end."""
    if not grid.parts:
        return [index[other] for other in near]
    return [index[other] + grid.parts.get((other, item), 0.0) for other in near]


def _gain(left: list[float], right: list[float]) -> int:
    """How many crossings fewer there are when what leads to ``left`` and to ``right`` changes places."""
    if len(left) * len(right) > _MOST_PAIRS:
        return 0
    gain = 0
    for at in left:
        for other in right:
            if at > other:
                gain += 1
            elif at < other:
                gain -= 1
    return gain


def _sort_row(grid: Grid, row: int, neighbors: list[list[int]], index: list[int]) -> None:
    items = grid.rows[row]
    wish: dict[int, float] = {}
    for item in items:
        near = neighbors[item]
        if near:
            wish[item] = sum(_ends(grid, item, near, index)) / len(near)
        else:
            # What is connected to nothing stands aside.
            wish[item] = index[item] if grid.uppers[item] or grid.lowers[item] else math.inf
    items = sorted(items, key=wish.__getitem__)
    grid.rows[row] = items
    _put(items, index)


def _crossings(grid: Grid, gap: int, index: list[int]) -> int:
    """How many pairs of connections cross between a row and the next."""
    ends: list[float] = []
    for item in grid.rows[gap]:
        lowers = _ends(grid, item, grid.lowers[item], index)
        if grid.parts and len(lowers) > 1:
            starts = [grid.parts.get((item, lower), 0.0) for lower in grid.lowers[item]]
            lowers = [end for _, end in sorted(zip(starts, lowers))]
        else:
            lowers.sort()
        ends.extend(lowers)
    if len(ends) < 2 or len(ends) > _MAX_COUNTED:
        return 0
    crossings = 0
    seen: list[float] = []
    for end in ends:
        crossings += len(seen) - bisect_right(seen, end)
        insort(seen, end)
    return crossings


def mind_ports(grid: Grid, cells: Sequence[Cell], links: Sequence[Link]) -> None:
    """Fills ``grid.parts`` and ``grid.shifts`` for links that end at fixed places of large cells; linear.

    At a frame, wires come in and go out where its inside wants them: among those that go to the same frame, the order
    of the places decides what crosses.
    """
    back = {*grid.long_links, *grid.back_links}
    for position, link in enumerate(links):
        if position in back or (link.leave is None and link.enter is None):
            continue
        chain = grid.chains.get((link.source, link.net), [])[: grid.row_of[link.target] - grid.row_of[link.source] - 1]
        below, above = chain[0] if chain else link.target, chain[-1] if chain else link.source
        for cell, other, offset in ((link.source, below, link.leave), (link.target, above, link.enter)):
            if offset is not None:
                grid.parts[cell, other] = _SPREAD * (offset / cells[cell].width - 0.5)
                shift = offset - cells[cell].left
                grid.shifts[other, cell] = grid.shifts.get((other, cell), 0.0) + shift
                grid.shifts[cell, other] = grid.shifts.get((cell, other), 0.0) - shift
