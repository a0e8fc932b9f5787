"""The registry of groupings: how layers are grouped in a diagram."""

from __future__ import annotations

from collections.abc import Callable

from trex.core.registry import Registry

GROUPINGS = Registry("trex.graph.groupings", "GROUPING", kind=Callable)
"""Each plug is a function: graph → for each of its ``layer_nodes``, the titles of its groups, outermost first; () for
none. Groups with the same title and the same parent are one group."""
