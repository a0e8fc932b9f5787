"""Grouping: what makes layers belong together in a diagram; the registry of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trex.core.registry import Registry
from trex.graph.plan_graph import PlanGraph

GROUPINGS = Registry("trex.graph.groupings", "GROUPING")


@dataclass(frozen=True, slots=True)
class Grouping:
    """titles: graph → for each of its ``layer_nodes``, the titles of the groups it is in, outermost first.

    Groups of one title within one group are one group; () is a layer in none.
    """

    titles: Callable[[PlanGraph], Sequence[tuple[str, ...]]]


def grouping_names() -> tuple[str, ...]:
    return GROUPINGS.known_names


def grouping(name: str) -> Grouping:
    """A grouping by its name. Raises TrexError for a name that nothing carries, and for one that cannot be loaded."""
    found: Grouping = GROUPINGS.chosen(name).value
    return found
