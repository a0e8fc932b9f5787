"""Captions: the labels of wires, each on the side of its wire that has room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trex.views.diagram.labels import WIRE_TEXT_SIZE
from trex.views.diagram.lettering import text_width

GAP = 5.0


@dataclass(frozen=True, slots=True)
class Caption:
    """The label of a wire; x, y: where its base line starts or, if ``is_left`` of the wire, ends.

    source: position in ``Scene.boxes`` of the box that the wire leaves.
    """

    x: float
    y: float
    text: str
    color: str
    is_left: bool = False
    source: int = -1

    @property
    def span(self) -> tuple[float, float]:
        """From where to where its words are."""
        width = text_width(self.text, WIRE_TEXT_SIZE)
        return (self.x - width, self.x) if self.is_left else (self.x, self.x + width)


def kept_apart(captions: Sequence[Caption], width: float) -> list[Caption]:
    """The captions, with those on the left that lie on a neighbor's words moved to the right where that is free.

    width: of the picture, which no caption is moved out of. Close to linear.
    """
    apart = list(captions)
    lines: dict[float, list[int]] = {}
    for number, caption in enumerate(captions):
        lines.setdefault(caption.y, []).append(number)
    for line in lines.values():
        line.sort(key=lambda number: apart[number].x)
        taken = 0.0
        for index, number in enumerate(line):
            caption = apart[number]
            if caption.is_left and caption.span[0] < taken:
                moved = replace(caption, x=caption.x + 2 * GAP, is_left=False)
                low, high = moved.span
                free = apart[line[index + 1]].span[0] if index + 1 < len(line) else width
                if taken <= low and high <= free:
                    apart[number] = moved
            taken = max(taken, apart[number].span[1])
    return apart
