"""Grouping: how layers are grouped in a diagram, and the registry of groupings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trex.core.registry import Registry
from trex.graph.plan_graph import PlanGraph

GROUPINGS = Registry("trex.graph.groupings", "GROUPING")


@dataclass(frozen=True, slots=True)
class Grouping:
    """titles: graph → for each of its ``layer_nodes``, the titles of its groups, outermost first; () for none.

    Groups with the same title and the same parent are one group.
    """

    titles: Callable[[PlanGraph], Sequence[tuple[str, ...]]]


def grouping_names() -> tuple[str, ...]:
    return GROUPINGS.known_names


def grouping(name: str) -> Grouping:
    """The grouping with this name. Raises TrexError if there is none, or if it cannot be loaded."""
    result: Grouping = GROUPINGS.chosen(name).value
    return result
