"""Coloring: what the color of a layer shows; their registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trex.core.registry import Registry
from trex.core.timings import LayerTime
from trex.graph.plan_graph import PlanGraph
from trex.views.palette import LAYER_COLORS

Latency = Callable[[LayerTime | None], float | None]


@dataclass(frozen=True, slots=True)
class Paint:
    """A layer's color, ``#rrggbb`` or ``gray``, and what it means, in the words of the legend.

    rank: the position in the legend of colors that are steps of a scale; 0 for all others: the commonest
    comes first. dark: the color on dark ground, ``#rrggbb``; without one, readers with such a ground find their own.
    """

    color: str
    text: str
    rank: int = 0
    dark: str = ""


# A closed group whose layers do not have one color.
SEVERAL = Paint(LAYER_COLORS["Group"], "several in a closed group")


@dataclass(frozen=True, slots=True)
class Coloring:
    """title: of the legend. paint: a graph, and which time of its layers counts → a Paint for each layer, in order.

    remark: what must be known of the colors of a graph, next to the title; "" for nothing.
    applies: whether the colors mean anything for a graph, if that depends on data that came with it.
    is_of_boxes: True where the color of a box that stands for several layers describes all together, as their time
    does; else the legend counts each of them.
    """

    title: str
    paint: Callable[[PlanGraph, Latency], list[Paint]]
    is_of_boxes: bool = False
    remark: Callable[[PlanGraph], str] | None = None
    applies: Callable[[PlanGraph], bool] | None = None

    def tells_of(self, graph: PlanGraph) -> bool:
        """False where all layers would have one color for want of what it asks for."""
        return self.applies is None or self.applies(graph)

    def titled(self, graph: PlanGraph) -> str:
        """The title with the remark on the colors of this graph."""
        remark = "" if self.remark is None else self.remark(graph)
        return f"{self.title} ({remark})" if remark else self.title


COLORINGS = Registry("trex.views.diagram.colorings", "COLORING", kind=Coloring)


def coloring_names() -> tuple[str, ...]:
    return COLORINGS.known_names


def coloring(name: str) -> Coloring:
    """A coloring by its name. Raises TrexError for a name that nothing carries, and for one that cannot be loaded."""
    result: Coloring = COLORINGS.chosen(name).value
    return result
