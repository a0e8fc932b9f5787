"""Operators that the builder does not know: kept as plugins are, with their type's name."""

from __future__ import annotations

from trex.simulator.draft import Draft, Kind, Step
from trex.simulator.layer_entry import LayerEntry, Told


def tell(step: Step, draft: Draft) -> Told:
    name = step.main.qualified_type if step.main is not None else "unknown"
    return Told("PluginV2", {"PluginType": name, "PluginVersion": "1"})


ENTRY = LayerEntry((Kind.OPAQUE,), tell)
