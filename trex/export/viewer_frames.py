"""Frames of a scene → columns of the page's data: the groups that open and close in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trex.export.frame import plain_value
from trex.export.viewer_columns import Strings, column, runs
from trex.views.diagram.frames import Frame
from trex.views.diagram.scene import Scene


def frames_data(frames: Sequence[Frame], strings: Strings) -> dict[str, Any]:
    """Titles, kinds and places; parents as positions, -1 for a frame inside no other."""
    titles, kinds = strings.column(), strings.column()
    titles.extend([plain_value(frame.title) for frame in frames])
    kinds.extend([plain_value(frame.kind) for frame in frames])
    return {
        "title": titles,
        "kind": kinds,
        "x": [round(frame.x) for frame in frames],
        "y": [round(frame.y) for frame in frames],
        "width": [round(frame.width) for frame in frames],
        "height": [round(frame.height) for frame in frames],
        # From the frame's left border; 0 where it is unknown.
        "titleX": column([max(0, round(frame.title_x - frame.x)) if frame.title_x else 0 for frame in frames]),
        "parent": column([-1 if frame.parent is None else frame.parent for frame in frames]),
    }


def box_frames(scene: Scene) -> list[int]:
    """The frame of each box, -1 for none, as runs; nothing when there are no frames."""
    return runs(-1 if box.frame is None else box.frame for box in scene.boxes) if scene.frames else []
