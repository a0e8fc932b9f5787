"""Steps that launch nothing: the same bytes with another name or shape."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import LayerEntry, LayerRecord


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    return LayerRecord("NoOp")


ENTRY = LayerEntry((StepKind.IDENTITY,), record)
