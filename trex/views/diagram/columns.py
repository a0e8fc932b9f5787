"""Scene → Columns: a long diagram cut between its rows, to be read side by side from left to right."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil, sqrt

from trex.views.diagram.frames import Frame
from trex.views.diagram.labels import WIRE_TEXT_SIZE
from trex.views.diagram.lettering import text_width
from trex.views.diagram.routes import Path
from trex.views.diagram.scene import Box, Caption, Scene, Wire

COLUMN_GAP = 56.0
# Diagrams up to this height, about two pages, stay whole.
LEAST_HEIGHT = 2800.0
# Width of all columns together, as a part of their height; a screen's.
_ASPECT = 1.3
# How high a column is at least and at most, as a part of what all would have if cut evenly.
_LEAST_FILL, _MOST_FILL = 0.5, 1.15
_SIDE = 14.0


@dataclass(slots=True)
class DiagramColumn:
    """The part of a diagram between two heights, and what of it lies there; in the scene's pixels.

    left, right: how far its contents reach. wires: what reaches their ends from this column; passing: parts of wires
    that end in others, each way once however many go it. frames: with their positions in ``Scene.frames``. continued:
    frames that began in a column before.
    """

    top: float
    bottom: float
    left: float = 0.0
    right: float = 0.0
    boxes: list[Box] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    passing: list[Wire] = field(default_factory=list)
    captions: list[Caption] = field(default_factory=list)
    frames: list[tuple[int, Frame]] = field(default_factory=list)
    continued: list[Frame] = field(default_factory=list)

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


def fold_into_columns(scene: Scene) -> tuple[DiagramColumn, ...]:
    """The scene's columns from left to right; () of a scene that is not long. Linear but for sorting.

    Cuts lie between rows of boxes and cross as few frames as they can. A frame is in every column that it reaches into,
    a wire is cut into parts, a box and a caption are in one.
    """
    if scene.height <= LEAST_HEIGHT or scene.height <= 2 * scene.width or not scene.boxes:
        return ()
    gaps = list(_gaps(scene))
    width, columns = scene.width, tuple[DiagramColumn, ...]()
    for _ in range(2):  # columns are narrower than the whole
        count = ceil(sqrt(scene.height * _ASPECT / (width + COLUMN_GAP)))
        columns = tuple(_cut(gaps, scene.height, scene.height / count))
        _fill(columns, scene)
        width = sum(column.width for column in columns) / len(columns)
    return columns if len(columns) > 1 else ()


def _gaps(scene: Scene) -> Iterator[tuple[float, int]]:
    """(height, number of frames there) of each place between two rows."""
    rows: list[tuple[float, float]] = []
    end = None
    for box in sorted(scene.boxes, key=lambda box: box.y):
        if end is not None and box.y > end:
            rows.append((end, box.y))
        end = box.y + box.height if end is None else max(end, box.y + box.height)
    tops = sorted([frame.y for frame in scene.frames])
    bottoms = sorted([frame.y + frame.height for frame in scene.frames])
    edges = sorted({*tops, *bottoms})
    for low, high in rows:
        first, last = bisect_right(edges, low), bisect_right(edges, high)
        heights = [low, *edges[first:last], high]
        # Of the places between frames' edges, the one in the fewest frames.
        choices = [((a + b) / 2, b - a) for a, b in pairwise(heights)]
        yield min(
            [(y, bisect_right(tops, y) - bisect_right(bottoms, y), -room) for y, room in choices],
            key=lambda choice: choice[1:],
        )[:2]


def _cut(gaps: Sequence[tuple[float, int]], height: float, target: float) -> Iterator[DiagramColumn]:
    """Of the cuts that make a column about as high as the target, the last of those in the fewest frames."""
    top = 0.0
    best: tuple[float, int] | None = None
    for gap in gaps:
        if best is not None and gap[0] - top > target * _MOST_FILL:
            yield DiagramColumn(top, best[0])
            top, best = best[0], None
        if best is None or best[0] - top < target * _LEAST_FILL or gap[1] <= best[1]:
            best = gap
    yield DiagramColumn(top, height)


def _fill(columns: Sequence[DiagramColumn], scene: Scene) -> None:
    ends = [column.bottom for column in columns[:-1]]
    for column in columns:
        column.left, column.right = scene.width, 0.0

    def spread(left: float, right: float, top: float, bottom: float) -> range:
        """The columns of what lies there, which become wide enough for it."""
        reached = range(bisect_right(ends, top), bisect_right(ends, bottom) + 1)
        for number in reached:
            column = columns[number]
            if left < column.left:
                column.left = left
            if right > column.right:
                column.right = right
        return reached

    for box in scene.boxes:
        columns[spread(box.x, box.x + box.width, box.y, box.y)[0]].boxes.append(box)
    for position, frame in enumerate(scene.frames):
        reached = spread(frame.x, frame.x + frame.width, frame.y, frame.y + frame.height)
        columns[reached[0]].frames.append((position, frame))
        for number in reached[1:]:
            columns[number].continued.append(frame)
    for number, wire, reaches_end in _parts(scene.wires, ends):
        xs = [x for piece in wire.path for x in piece[::2]]
        column = columns[number]
        column.left, column.right = min(column.left, *xs), max(column.right, *xs)
        (column.wires if reaches_end else column.passing).append(wire)
    for caption in scene.captions:
        width = text_width(caption.text, WIRE_TEXT_SIZE)
        left = caption.x - width if caption.is_left else caption.x
        columns[spread(left, left + width, caption.y, caption.y)[0]].captions.append(caption)
    for column in columns:
        column.left, column.right = column.left - _SIDE, column.right + _SIDE


def _parts(wires: Sequence[Wire], ends: Sequence[float]) -> Iterator[tuple[int, Wire, bool]]:
    """(column, part of a wire in it, whether the part reaches the wire's end).

    Many wires of one value go the same way through columns: that is one part there. Else a value that every layer reads
    is drawn layers × columns times.
    """
    straight: dict[tuple[float, tuple[str, bool, bool]], list[tuple[int, int, Wire]]] = {}
    seen = set()
    for wire in wires:
        look = wire.color, wire.is_dashed, wire.is_hot
        runs, through = _cut_path(wire.path, ends)
        for x, first, last in through:
            straight.setdefault((x, look), []).append((first, last, wire))
        for number, path in runs:
            if path == wire.path:
                yield number, wire, True
            elif path[-1] is wire.path[-1]:
                yield number, replace(wire, path=path), True
            elif (key := (number, path, look)) not in seen:
                seen.add(key)
                yield number, replace(wire, path=path), False
    bounds = [0.0, *ends]
    for (x, _), spans in straight.items():
        free = 0  # the first column that has no part of them yet
        for first, last, wire in sorted(spans, key=lambda span: (span[0], -span[1])):
            for number in range(max(first, free), last + 1):
                yield number, replace(wire, path=((x, bounds[number]), (x, bounds[number + 1]))), False
            free = max(free, last + 1)


def _cut_path(path: Path, ends: Sequence[float]) -> tuple[list[tuple[int, Path]], list[tuple[float, int, int]]]:
    """The path's runs by column; and (x, first, last) of columns that it goes straight through."""
    runs: dict[int, list[list[tuple[float, ...]]]] = {}
    through = []
    point = path[0]
    for piece in path[1:]:
        ys = (point[1], *piece[1::2])
        first, last = bisect_right(ends, min(ys)), bisect_right(ends, max(ys))
        reached: Sequence[int] = range(first, last + 1)
        if len(piece) == 2 and piece[0] == point[0] and last > first + 1:
            through.append((point[0], first + 1, last - 1))
            reached = first, last
        for number in reached:
            here = runs.setdefault(number, [])
            if here and here[-1][-1][-2:] == point:
                here[-1].append(piece)
            else:
                here.append([point, piece])
        point = piece[-2:]
    return [(number, tuple(run)) for number, here in runs.items() for run in here], through
