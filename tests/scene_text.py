"""Scene → text, for snapshots: frames with what is in them, wires, words and legend, positions in whole pixels."""

from __future__ import annotations

from collections.abc import Iterator

from trex.views.diagram.frames import Frame
from trex.views.diagram.scene import Box, Scene


def scene_text(scene: Scene) -> str:
    """One line per item; the content of a frame is indented. Tooltips are left out."""
    return "\n".join(_lines(scene)) + "\n"


def _lines(scene: Scene) -> Iterator[str]:
    yield f"{scene.title}: {scene.width:.0f} x {scene.height:.0f}"
    yield from (f"  {fact}" for fact in scene.facts)
    for group in scene.legend:
        yield f"legend {group.title}: " + ", ".join(f"{e.shape} {e.color} {e.text}" for e in group.entries)
    yield "boxes:"
    yield from _inside(scene, None, "  ")
    yield "wires:"
    for wire in scene.wires:
        dashed = " dashed" if wire.is_dashed else ""
        points = [(element[0], element[1]) if len(element) == 2 else element[-2:] for element in wire.path]
        way = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        yield f"  {wire.source} -> {wire.target} {wire.color}{dashed}: {way}"
    yield "captions:"
    for caption in scene.captions:
        side = " left" if caption.is_left else ""
        yield f"  {caption.x:.0f},{caption.y:.0f}{side} {caption.color} {caption.text}"


def _inside(scene: Scene, parent: int | None, margin: str) -> Iterator[str]:
    """Boxes and frames right in a frame, from above."""
    here: list[tuple[float, float, Iterator[str]]] = []
    for position, frame in enumerate(scene.frames):
        if frame.parent == parent:
            here.append((frame.y, frame.x, _frame(scene, position, frame, margin)))
    for number, box in enumerate(scene.boxes):
        if box.frame == parent:
            here.append((box.y, box.x, _box(number, box, margin)))
    for _, _, lines in sorted(here, key=lambda one: one[:2]):
        yield from lines


def _frame(scene: Scene, position: int, frame: Frame, margin: str) -> Iterator[str]:
    yield f"{margin}[{frame.title}] {frame.kind} {_position(frame)}"
    yield from _inside(scene, position, margin + "  ")


def _box(number: int, box: Box, margin: str) -> Iterator[str]:
    label = box.label
    heat = "" if box.heat is None else f" heat {box.heat:.2f}"
    marked = " marked" if box.is_highlighted else ""
    head = f"{label.kind} | {label.badge}" if label.badge else label.kind
    yield f"{margin}{number} {box.kind} {_position(box)} {box.color}{heat}{marked}: {head}"
    yield from (f"{margin}    {role}: {text}" for role, text in label.lines)


def _position(thing: Box | Frame) -> str:
    return f"{thing.x:.0f},{thing.y:.0f} {thing.width:.0f}x{thing.height:.0f}"
