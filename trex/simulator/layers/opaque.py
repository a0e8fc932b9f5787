"""Unknown operators: listed as plugins, with their type's name."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import LayerEntry, LayerRecord


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    name = step.main.qualified_type if step.main is not None else "unknown"
    return LayerRecord("PluginV2", {"PluginType": name, "PluginVersion": "1"})


ENTRY = LayerEntry((StepKind.OPAQUE,), record)
