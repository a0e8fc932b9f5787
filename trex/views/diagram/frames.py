"""Groups of a graph, cells and links → the layout, and the frames around the groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trex.graph.plan_graph import PlanGraph
from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.group_words import frame_tooltips
from trex.views.diagram.labels import PADDING, TEXT_SIZE
from trex.views.diagram.layout import Layout
from trex.views.diagram.lettering import text_width
from trex.views.diagram.nested import Rectangle, lay_out_groups
from trex.views.diagram.style import DiagramStyle

# Between a title and a wire.
_CLEARANCE = 6.0


@dataclass(frozen=True, slots=True)
class Frame:
    """The border around a group of boxes; positions and sizes in pixels.

    kind: ``module``, ``block``, ``region`` (of Myelin) or another grouping's name. title: what stands on it. parent:
    position in ``Scene.frames`` of the frame around it, always a lower one; None for an outermost frame. Frames that
    are not parent and child do not overlap, and no box of another group lies inside. tooltip: what is in it, one fact
    a line. title_x: where the title starts so that wires come in next to it, if there is room.
    """

    title: str
    kind: str
    x: float
    y: float
    width: float
    height: float
    parent: int | None = None
    tooltip: str = ""
    title_x: float = 0.0


def lay_out_frames(
    graph: PlanGraph,
    style: DiagramStyle,
    total_ms: float,
    cells: Sequence[Cell],
    links: Sequence[Link],
    group_of: Sequence[int | None],
    with_tooltips: bool = True,
) -> tuple[Layout, tuple[Frame, ...], list[int | None]]:
    """The layout; a frame for each group that has cells, the outer ones first; each cell's innermost frame.

    total_ms: what shares of time are of, 0 where nothing was measured. group_of: each cell's group, a position in
    ``graph.groups``.
    """
    groups = graph.groups
    holds = [False] * len(groups)
    for group in group_of:
        if group is not None:
            holds[group] = True
    for position in range(len(groups) - 1, -1, -1):
        parent = groups[position].parent
        if holds[position] and parent is not None:
            holds[parent] = True
    shown = [position for position in range(len(groups)) if holds[position]]
    index: dict[int | None, int | None] = {None: None, **{position: i for i, position in enumerate(shown)}}
    frame_of = [index[group] for group in group_of]
    parents = [index[groups[position].parent] for position in shown]
    layout, rectangles = lay_out_groups(cells, links, frame_of, parents)
    tooltips = frame_tooltips(graph, style, total_ms) if with_tooltips else [""] * len(groups)
    frames = []
    for position, parent, at in zip(shown, parents, rectangles):
        title, kind = groups[position].title, groups[position].kind
        frames.append(
            Frame(title, kind, at.x, at.y, at.width, at.height, parent, tooltips[position], _title_x(title, at))
        )
    return layout, tuple(frames), frame_of


def _title_x(title: str, frame: Rectangle) -> float:
    """On the left, or on the right where a wire would come in through the title."""
    width = min(text_width(title, TEXT_SIZE) * 1.06, frame.width - 2 * PADDING)
    left, right = frame.x + PADDING, frame.x + frame.width - PADDING - width
    for start in (left, right):
        if not any(start - _CLEARANCE < x < start + width + _CLEARANCE for x in frame.enter_x):
            return start
    return left
