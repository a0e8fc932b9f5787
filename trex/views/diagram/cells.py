"""Cell, Link: what a layout places and connects, without any idea of what they mean."""

from __future__ import annotations

from dataclasses import dataclass

TOP, BOTTOM = "top", "bottom"


@dataclass(frozen=True, slots=True)
class Cell:
    """A box to be placed, sizes in pixels. Cells are numbered in an order along which forward links run.

    is_minor: a companion (an engine input, a constant) that is placed next to others and moves none of them.
    label_rows: lines of text below the box, next to its wires. label_width: width of the widest of them.
    pin: ``TOP`` or ``BOTTOM`` for a cell on the first or last row, where there are only such. axis: distance from the
    left edge of the line that stands above and below other cells' middles, the cell's own middle if None.
    """

    width: float
    height: float
    is_minor: bool = False
    label_rows: int = 0
    label_width: float = 0.0
    pin: str = ""
    axis: float | None = None

    @property
    def left(self) -> float:
        """How far the cell reaches to the left of its axis."""
        return self.width / 2 if self.axis is None else self.axis


@dataclass(frozen=True, slots=True)
class Link:
    """A connection between two cells, by number. Links of one source and net carry the same value, on one wire.

    is_back: it is to be drawn upwards, from a later cell to an earlier one or itself. leave, enter: distance from the
    left edge of its cell at which it leaves its source and enters its target, None where that is free.
    """

    source: int
    target: int
    net: int
    is_back: bool = False
    leave: float | None = None
    enter: float | None = None

    @property
    def is_forward(self) -> bool:
        return not self.is_back
