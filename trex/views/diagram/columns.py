"""Scene → Columns: a long diagram cut between its rows, to be read side by side from left to right."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, sqrt

from trex.views.diagram.frames import Frame
from trex.views.diagram.labels import WIRE_TEXT_SIZE
from trex.views.diagram.lettering import text_width
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

    left, right: how far its contents reach. frames: with their positions in ``Scene.frames``. continued: frames that
    began in a column before.
    """

    top: float
    bottom: float
    left: float = 0.0
    right: float = 0.0
    boxes: list[Box] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
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

    Cuts lie between rows of boxes and cross as few frames as they can. A wire or a frame is in every column that it
    reaches into, a box and a caption in one.
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
    for wire in scene.wires:
        xs = [x for piece in wire.path for x in piece[::2]]
        ys = [y for piece in wire.path for y in piece[1::2]]
        for number in spread(min(xs), max(xs), min(ys), max(ys)):
            columns[number].wires.append(wire)
    for caption in scene.captions:
        width = text_width(caption.text, WIRE_TEXT_SIZE)
        left = caption.x - width if caption.is_left else caption.x
        columns[spread(left, left + width, caption.y, caption.y)[0]].captions.append(caption)
    for column in columns:
        column.left, column.right = column.left - _SIDE, column.right + _SIDE
