"""Placed rows and lanes → paths: wires that run straight down next to boxes and bend only between rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeVar

from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.grid import Grid
from trex.views.diagram.lanes import Lane
from trex.views.diagram.placement import Placement, settled

# A path's first element is its start, (x, y); then lines, (x, y), and cubic curves, (x1, y1, x2, y2, x, y).
Path = tuple[tuple[float, ...], ...]

_Key = TypeVar("_Key", int, tuple[int, int])

LABEL_LINE = 13.0
LABEL_ROWS = 6
_TRACK = 6.0
_TRACKS = 12
_BEND = 18.0
_MOST_BEND = 60.0
# The last stretch is straight, for the arrow head.
_APPROACH = 10.0
_BEND_PER_PIXEL = 0.09
_PORT_GAP = 18.0
_PORT_MARGIN = 12.0
_CORNER = 7.0


class Routes:
    """Heights of the rows, places where wires leave and enter boxes, and a path for each link.

    bottom: y of each row's lower edge, on which its boxes stand.
    """

    def __init__(
        self, grid: Grid, cells: Sequence[Cell], links: Sequence[Link], placement: Placement, lanes: Sequence[Lane]
    ) -> None:
        self.grid, self.cells, self.links = grid, cells, links
        self.x = placement.x
        self.placement = placement
        self.lane_of = {position: lane for lane in lanes for position in lane.links}
        self.lanes = lanes
        self._out_x: dict[tuple[int, int], float] = {}
        self._in_x: dict[int, float] = {}
        self._leave_ports()
        self._enter_ports()
        self._out_track: dict[int, int] = {}
        self._in_track: dict[int, int] = {}
        self._out_tracks = [0] * len(grid.rows)
        self._in_tracks = [0] * len(grid.rows)
        self._assign_tracks()
        self._stack_rows()

    # ------------------------------------------------------------------------------------------------------- ports

    def _via(self, position: int) -> list[int]:
        """The passages of a link that goes through the rows."""
        link = self.links[position]
        chain = self.grid.chains.get((link.source, link.net))
        if chain is None:
            return []
        return chain[: self.grid.row_of[link.target] - self.grid.row_of[link.source] - 1]

    def _leave_ports(self) -> None:
        """Where each link leaves. A value that also passes its box's sides has stems there and below."""
        wishes: dict[int, dict[tuple[int, int], float]] = {}
        keys = []
        for position, link in enumerate(self.links):
            via = self._via(position)
            wish = self.lane_of[position].x if position in self.lane_of else self.x[via[0] if via else link.target]
            aside = wish - self.x[link.source]
            side = 0 if abs(aside) <= self._half(link.source) else 1 if aside > 0 else -1
            key = (link.net, side)
            keys.append(key)
            stems = wishes.setdefault(link.source, {})
            stems[key] = min(stems.get(key, wish), wish, key=lambda wish: abs(wish - self.x[link.source]))
        self._spare_words(wishes)
        keys = [key if key in wishes[link.source] else (link.net, 0) for link, key in zip(self.links, keys)]
        indexes = {(source, key): x for source, stems in wishes.items() for key, x in self._spread(source, stems)}
        self._leave_x = [
            indexes[link.source, key] if link.leave is None else self._at(link.source, link.leave)
            for link, key in zip(self.links, keys)
        ]
        for link, x in zip(self.links, self._leave_x):
            center, key = self.x[link.source], (link.source, link.net)
            if key not in self._out_x or abs(x - center) < abs(self._out_x[key] - center):
                self._out_x[key] = x

    def _spare_words(self, wishes: dict[int, dict[tuple[int, int], float]]) -> None:
        """What would leave on the right leaves in the middle where there are words that have no room on the left."""
        for source, stems in wishes.items():
            cell = self.cells[source]
            if cell.label_rows:
                for net in [net for net, side in stems if side > 0 and (net, 0) in stems]:
                    if (net, -1) in stems or cell.label_width + 8 >= cell.left:
                        del stems[net, 1]

    def _enter_ports(self) -> None:
        wishes: dict[int, dict[int, float]] = {}
        for position, link in enumerate(self.links):
            if position in self.lane_of:
                wish = self.lane_of[position].x
            else:
                via = self._via(position)
                wish = self.x[via[-1]] if via else self._leave_x[position]
            wishes.setdefault(link.target, {})[position] = wish
        for target, positions in wishes.items():
            for position, x in self._spread(target, positions):
                enter = self.links[position].enter
                self._in_x[position] = x if enter is None else self._at(target, enter)

    def _at(self, cell: int, offset: float) -> float:
        return self.x[cell] - self.cells[cell].left + offset

    def _half(self, cell: int) -> float:
        """How far from a box's center wires leave and enter it."""
        return max(0.0, self.cells[cell].width / 2 - _PORT_MARGIN)

    def _spread(self, cell: int, wishes: dict[_Key, float]) -> list[tuple[_Key, float]]:
        """Places along a box's edge, near the wishes, in their order and apart from one another."""
        center, half = self.x[cell], self._half(cell)
        if len(wishes) == 1:
            ((key, wish),) = wishes.items()
            return [(key, min(max(wish, center - half), center + half))]
        keys = sorted(wishes, key=lambda key: (wishes[key], key))
        gap = min(_PORT_GAP, 2 * half / (len(keys) - 1))
        near = [min(max(wishes[key], center - half), center + half) for key in keys]
        # What lies straight above or below keeps its place; what comes from aside makes room.
        weights = [100.0 if abs(wishes[key] - center) <= half else 1.0 for key in keys]
        indexes = settled(near, weights, [gap] * (len(keys) - 1))
        # Least squares within bounds: the bounds cut off what the unbounded solution goes beyond them.
        first, last = center - half, center + half - gap * (len(keys) - 1)
        return [(key, min(max(x - gap * i, first), last) + gap * i) for i, (key, x) in enumerate(zip(keys, indexes))]

    # -------------------------------------------------------------------------------------------------------- rows

    def _assign_tracks(self) -> None:
        """Heights at which wires run sideways to their lane and from it; wires of one gap take turns."""
        row_of = self.grid.row_of
        for number, lane in enumerate(self.lanes):
            row = row_of[lane.source]
            self._out_track[number] = self._out_tracks[row]
            self._out_tracks[row] += 1
            for position in lane.links:
                target_row = row_of[self.links[position].target]
                self._in_track[position] = self._in_tracks[target_row]
                self._in_tracks[target_row] += 1
        self._number_of = {position: number for number, lane in enumerate(self.lanes) for position in lane.links}

    def _stack_rows(self) -> None:
        grid, cells = self.grid, self.cells
        count = grid.cell_count
        sideways = [0.0] * len(grid.rows)
        for row, distance in self._bends():
            if distance > sideways[row]:
                sideways[row] = distance
        self.top, self.bottom, self.bend_top, self.bend_bottom = [], [], [], []
        y = self._track_height(self._in_tracks[0]) + _APPROACH
        for row, items in enumerate(grid.rows):
            boxes = [cells[item] for item in items if item < count]
            y_bottom = y + max((box.height for box in boxes), default=0.0)
            labels = min(LABEL_ROWS, max((box.label_rows for box in boxes), default=0))
            zone = labels * LABEL_LINE + (3 if labels else 0)
            bend = min(_MOST_BEND, _BEND + sideways[row] * _BEND_PER_PIXEL)
            self.top.append(y)
            self.bottom.append(y_bottom)
            self.bend_top.append(y_bottom + zone + self._track_height(self._out_tracks[row]))
            self.bend_bottom.append(self.bend_top[-1] + bend)
            below = self._in_tracks[row + 1] if row + 1 < len(grid.rows) else 0
            y = self.bend_bottom[-1] + self._track_height(below) + _APPROACH
        self.height = self.bend_top[-1] if grid.rows else 0.0

    def _bends(self) -> Iterator[tuple[int, float]]:
        """Every stretch of a wire to the side: the row below which it is, and how far."""
        grid, x = self.grid, self.x
        for item in range(grid.cell_count, len(grid.row_of)):
            for lower in grid.lowers[item]:
                if grid.is_passage(lower):
                    yield grid.row_of[item], abs(x[item] - x[lower])
        for position, link in enumerate(self.links):
            if position in self.lane_of:
                continue
            via = self._via(position)
            start, end = self._leave_x[position], self._in_x[position]
            yield grid.row_of[link.source], abs(start - (x[via[0]] if via else end))
            if via:
                yield grid.row_of[link.target] - 1, abs(x[via[-1]] - end)

    @staticmethod
    def _track_height(tracks: int) -> float:
        return _TRACK * (min(tracks, _TRACKS) + 1) if tracks else 0.0

    @property
    def ports(self) -> dict[tuple[int, int], tuple[float, float]]:
        """Where each value leaves its box, by (source, net): x, y; of several places, the nearest to its middle."""
        row_of = self.grid.row_of
        return {(source, net): (x, self.bottom[row_of[source]]) for (source, net), x in self._out_x.items()}

    def extent(self) -> tuple[float, float]:
        """Leftmost and rightmost x of everything."""
        cells, placement = len(self.cells), self.placement
        lefts = [self.x[item] - placement.left[item] for item in range(cells)]
        rights = [self.x[item] + placement.right[item] for item in range(cells)]
        for item in range(cells, len(self.x)):
            lefts.append(self.x[item])
            rights.append(self.x[item])
        for lane in self.lanes:
            lefts.append(lane.x)
            rights.append(lane.x)
        return math.floor(min(lefts)) - 4.0, math.ceil(max(rights)) + 4.0

    # ------------------------------------------------------------------------------------------------------- paths

    def path(self, position: int, shift: float) -> Path:
        """The way of one link, moved to the right by ``shift``."""
        link = self.links[position]
        start = self._leave_x[position] + shift
        end = self._in_x[position] + shift
        row, target_row = self.grid.row_of[link.source], self.grid.row_of[link.target]
        end_y = self.bottom[target_row] - self.cells[link.target].height
        lane = self.lane_of.get(position)
        if lane is not None:
            out_track = self._out_track[self._number_of[position]] % _TRACKS
            in_track = self._in_track[position] % _TRACKS
            out_y = self.bend_top[row] - _TRACK * (out_track + 0.5)
            in_y = self.top[target_row] - _APPROACH - _TRACK * (in_track + 0.5)
            x = lane.x + shift
            return _rounded(
                [(start, self.bottom[row]), (start, out_y), (x, out_y), (x, in_y), (end, in_y), (end, end_y)]
            )
        path: list[tuple[float, ...]] = [(start, self.bottom[row])]
        x = start
        for step, next_x in enumerate([*(self.x[item] + shift for item in self._via(position)), end]):
            if abs(next_x - x) >= 0.5:
                top, bottom = self.bend_top[row + step], self.bend_bottom[row + step]
                middle = (top + bottom) / 2
                path.append((x, top))
                path.append((x, middle, next_x, middle, next_x, bottom))
                x = next_x
        path.append((x, end_y))
        return tuple(path)


def _rounded(corners: Sequence[tuple[float, float]]) -> Path:
    """A way along the axes, with its corners rounded."""
    path: list[tuple[float, ...]] = [corners[0]]
    for before, corner, after in zip(corners, corners[1:], corners[2:]):
        reach = min(_CORNER, _length(before, corner) / 2, _length(corner, after) / 2)
        if reach < 0.5:
            path.append(corner)
            continue
        path.append(_towards(corner, before, reach))
        path.append((*corner, *corner, *_towards(corner, after, reach)))
    path.append(corners[-1])
    return tuple(path)


def _length(a: tuple[float, float], b: tuple[float, float]) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _towards(point: tuple[float, float], other: tuple[float, float], distance: float) -> tuple[float, float]:
    length = _length(point, other) or 1.0
    return (
        point[0] + (other[0] - point[0]) * distance / length,
        point[1] + (other[1] - point[1]) * distance / length,
    )
