"""Cells, links and groups → a layout in which the cells of each group lie in a frame of their own.

Each group is laid out by itself, the innermost first, with a row of ports above for what enters it and one below for
what leaves it; in the layout around it, it is one large cell with wires ending at its ports. The parts
of a wire are then joined. Time: that of the layouts, which is close to linear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from trex.core.steps import in_steps
from trex.graph.flow_order import flow_order
from trex.views.diagram.cells import BOTTOM, TOP, Cell, Link
from trex.views.diagram.layout import Layout, WirePort, lay_out
from trex.views.diagram.routes import Path

FRAME_SIDE = 10.0
# Where wires come in or go out, there is room in which they bend: ports lie at the border itself.
_TOP_BEHIND_PORTS = -7.0
_TOP_FOR_TITLE = 22.0
_BOTTOM = 10.0
_BOTTOM_BEHIND_PORTS = 0.0
_PORT_WIDTH = 6.0


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A frame's place; in pixels. enter_x: where wires come in at its upper edge, from left to right."""

    x: float
    y: float
    width: float
    height: float
    enter_x: tuple[float, ...] = ()


def lay_out_groups(
    cells: Sequence[Cell], links: Sequence[Link], group_of: Sequence[int | None], parents: Sequence[int | None]
) -> tuple[Layout, tuple[Rectangle, ...]]:
    """The layout, and each group's frame.

    group_of: each cell's innermost group, None outside of all. parents: each group's group, always a lower one.
    Frames hold all boxes of their group and no other; of two frames, one holds the other or they are apart. Every
    group must hold a cell. Raises ValueError as ``lay_out`` does.
    """
    if not parents:
        return lay_out(cells, links), ()
    return _Nest(cells, links, group_of, parents).arranged()


@dataclass(slots=True)
class _Level:
    """The inside of one group, or of the whole: what lies in it and what connects it.

    Items are cells, and groups with numbers behind all cells. A segment is a part of a wire: (from, to, net), where
    from is None for what enters the group and to is None for what leaves it. index: of the segments, by what makes
    them one; a net's segments into a cell differ by its link. net: the nets' numbers in the layout, in their order, so
    that equal groups have equal layouts.
    """

    items: list[int] = field(default_factory=list)
    segments: list[tuple[int | None, int | None, int]] = field(default_factory=list)
    index: dict[tuple[int | None, int | None, int, int], int] = field(default_factory=dict)
    onward: list[bool] = field(default_factory=list)
    local: dict[int, int] = field(default_factory=dict)
    net: dict[int, int] = field(default_factory=dict)
    layout: Layout | None = None
    top: float = 0.0
    bottom: float = 0.0
    enter_x: dict[int, float] = field(default_factory=dict)
    leave_x: dict[int, float] = field(default_factory=dict)

    def segment(self, start: int | None, end: int | None, net: int, link: int, onward: bool) -> int:
        key = (start, end, net, link)
        index = self.index.get(key)
        if index is None:
            index = self.index[key] = len(self.segments)
            self.segments.append((start, end, net))
            self.onward.append(onward)
        return index


class _Nest:
    def __init__(
        self,
        cells: Sequence[Cell],
        links: Sequence[Link],
        group_of: Sequence[int | None],
        parents: Sequence[int | None],
    ) -> None:
        self.cells, self.links, self.parents = cells, links, parents
        self.known: dict[tuple[tuple[Cell, ...], tuple[Link, ...]], Layout] = {}
        # Level 0 is the whole, level g + 1 the inside of group g.
        self.above = [0, *(0 if parent is None else parent + 1 for parent in parents)]
        self.depth = [0] * len(self.above)
        for level in range(1, len(self.above)):
            self.depth[level] = self.depth[self.above[level]] + 1
        self.level_of = [0 if group is None else group + 1 for group in group_of]
        self.levels = [_Level() for _ in self.above]
        self.first = [len(cells)] * len(self.above)
        for cell, level in enumerate(self.level_of):
            self.levels[level].items.append(cell)
            self.first[level] = min(self.first[level], cell)
        for level in range(len(self.above) - 1, 0, -1):
            above = self.above[level]
            self.levels[above].items.append(self._item(level))
            self.first[above] = min(self.first[above], self.first[level])
        self.nets: dict[tuple[int, int], int] = {}
        self.source_of: list[tuple[int, int]] = []
        self.furthest: list[tuple[int, int]] = []
        self.parts = [self._parts(number, link) for number, link in enumerate(links)]

    def arranged(self) -> tuple[Layout, tuple[Rectangle, ...]]:
        for level in in_steps("group", self.levels[::-1]):
            self._lay_out(level)
        frames = self._frames()
        corner = [(0.0, 0.0)]
        for level, frame in zip(self.levels[1:], frames):
            corner.append((frame.x + FRAME_SIDE, frame.y + level.top))
        x, y = [0.0] * len(self.cells), [0.0] * len(self.cells)
        for cell, number in enumerate(self.level_of):
            layout, position = self._layout(number), self.levels[number].local[cell]
            x[cell], y[cell] = layout.x[position] + corner[number][0], layout.y[position] + corner[number][1]
        whole = self._layout(0)
        paths = tuple([self._path(parts, corner) for parts in self.parts])
        ports = dict(self._ports(corner))
        return Layout(tuple(x), tuple(y), paths, ports, whole.width, whole.height), tuple(frames)

    def _item(self, level: int) -> int:
        """The number of a group among the items of the level above its own."""
        return len(self.cells) + level

    def _layout(self, level: int) -> Layout:
        layout = self.levels[level].layout
        assert layout is not None
        return layout

    # ------------------------------------------------------------------------------------------------------- parts

    def _parts(self, number: int, link: Link) -> list[tuple[int, int]]:
        """The segments of a link, as (level, place), from its source to its target."""
        net = self.nets.setdefault((link.source, link.net), len(self.nets))
        if net == len(self.source_of):
            self.source_of.append((link.source, net))
            self.furthest.append((-link.target, net))
        self.furthest[net] = min(self.furthest[net], (-link.target, net))
        start, start_level = link.source, self.level_of[link.source]
        end, end_level = link.target, self.level_of[link.target]
        out: list[tuple[int, int]] = []
        into: list[tuple[int, int]] = []
        while start_level != end_level:
            if self.depth[start_level] >= self.depth[end_level]:
                out.append((start_level, self.levels[start_level].segment(start, None, net, -1, True)))
                start, start_level = self._item(start_level), self.above[start_level]
            else:
                into.append((end_level, self.levels[end_level].segment(None, end, net, -1, True)))
                end, end_level = self._item(end_level), self.above[end_level]
        own = number if end < len(self.cells) else -1
        meeting = self.levels[start_level].segment(start, end, net, own, link.is_forward)
        return [*out, (start_level, meeting), *reversed(into)]

    # ------------------------------------------------------------------------------------------------------ levels

    def _lay_out(self, level: _Level) -> None:
        # Longer wires pass on the left of what they pass, so that is where they come in and go out.
        entering = sorted({net for start, _, net in level.segments if start is None}, key=self.source_of.__getitem__)
        leaving = sorted({net for _, end, net in level.segments if end is None}, key=self.furthest.__getitem__)
        cells = [Cell(_PORT_WIDTH, 0.0, is_minor=True, pin=TOP) for _ in entering]
        for item in self._in_order(level):
            level.local[item] = len(cells)
            cells.append(self._cell(item))
        entry = {net: index for index, net in enumerate(entering)}
        exits = {net: len(cells) + index for index, net in enumerate(leaving)}
        cells.extend([Cell(_PORT_WIDTH, 0.0, is_minor=True, pin=BOTTOM) for _ in leaving])
        level.net = {net: index for index, net in enumerate(sorted({net for *_, net in level.segments}))}
        links = []
        for start, end, net in level.segments:
            source = entry[net] if start is None else level.local[start]
            target = exits[net] if end is None else level.local[end]
            leave = None if start is None or start < len(self.cells) else self._inside(start).leave_x[net]
            enter = None if end is None or end < len(self.cells) else self._inside(end).enter_x[net]
            links.append(Link(source, target, level.net[net], source >= target, leave, enter))
        key = tuple(cells), tuple(links)
        layout = level.layout = self.known.get(key) or self.known.setdefault(key, lay_out(cells, links))
        level.top = _TOP_BEHIND_PORTS if entering else _TOP_FOR_TITLE
        level.bottom = _BOTTOM_BEHIND_PORTS if leaving else _BOTTOM
        level.enter_x = {net: layout.x[index] + _PORT_WIDTH / 2 + FRAME_SIDE for net, index in entry.items()}
        level.leave_x = {net: layout.x[index] + _PORT_WIDTH / 2 + FRAME_SIDE for net, index in exits.items()}

    def _inside(self, item: int) -> _Level:
        return self.levels[item - len(self.cells)]

    def _cell(self, item: int) -> Cell:
        if item < len(self.cells):
            return self.cells[item]
        layout = self._layout(item - len(self.cells))
        return Cell(*self._size(self._inside(item)), axis=layout.axis + FRAME_SIDE)

    @staticmethod
    def _size(level: _Level) -> tuple[float, float]:
        layout = level.layout
        assert layout is not None
        return layout.width + 2 * FRAME_SIDE, level.top + layout.height + level.bottom

    def _in_order(self, level: _Level) -> list[int]:
        """Items such that links run onwards, else in the order of their first cells."""
        first = {item: item if item < len(self.cells) else self.first[item - len(self.cells)] for item in level.items}
        flows = [
            (start, end)
            for (start, end, _), onward in zip(level.segments, level.onward)
            if onward and start is not None and end is not None
        ]
        return flow_order(first, flows)

    # ------------------------------------------------------------------------------------------------------ places

    def _frames(self) -> list[Rectangle]:
        frames: list[Rectangle] = []
        for number in range(1, len(self.levels)):
            above = self.above[number]
            layout, position = self._layout(above), self.levels[above].local[self._item(number)]
            x, y = layout.x[position], layout.y[position]
            if above:
                around = frames[above - 1]
                x, y = x + around.x + FRAME_SIDE, y + around.y + self.levels[above].top
            level = self.levels[number]
            frames.append(Rectangle(x, y, *self._size(level), tuple(sorted([x + at for at in level.enter_x.values()]))))
        return frames

    def _ports(self, corner: Sequence[tuple[float, float]]) -> Iterator[tuple[tuple[int, int], WirePort]]:
        for (source, net), number in self.nets.items():
            level = self.level_of[source]
            port = self._layout(level).ports[self.levels[level].local[source], self.levels[level].net[number]]
            yield (source, net), replace(port, x=port.x + corner[level][0], y=port.y + corner[level][1])

    def _path(self, parts: Iterable[tuple[int, int]], corner: Sequence[tuple[float, float]]) -> Path:
        path: list[tuple[float, ...]] = []
        for number, index in parts:
            x, y = corner[number]
            for element in self._layout(number).paths[index]:
                moved = tuple([value + (y if i % 2 else x) for i, value in enumerate(element)])
                if len(moved) > 2 or len(path) == 0:
                    path.append(moved)
                    continue
                here = path[-1]
                # From port to port a wire runs straight down: one line, not three.
                is_line = len(path) > 1 and len(here) == 2 and _are_near(path[-2][-2], here[0], moved[0])
                if is_line and (path[-2][-1] <= here[1]) == (here[1] <= moved[1]):
                    path[-1] = moved
                elif moved != here[-2:]:
                    path.append(moved)
        return tuple(path)


def _are_near(*values: float) -> bool:
    """Whether these are the same to the eye."""
    return max(values) - min(values) < 0.5
