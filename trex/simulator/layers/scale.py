"""Multiplication and shift by constants, per channel."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import LayerEntry, LayerRecord, kernel_name
from trex.simulator.spelling import type_word


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    shape = draft.shape_of(step.outputs[0]) or ()
    channels = shape[1] if len(shape) > 1 else 0
    stored = {"Type": type_word(draft.type_of(step.outputs[0])), "Count": channels or 0}
    parameters = {
        "ParameterType": "Scale",
        "Mode": "CHANNEL",
        "Shift": stored,
        "Scale": stored,
        "Power": {"Type": stored["Type"], "Count": 0},
        "Activation": str(step.facts.get("activation", "NONE")),
        "ChannelAxis": 1,
    }
    return LayerRecord("Scale", parameters, kernel_name(step, draft, "scale"))


ENTRY = LayerEntry((StepKind.SCALE,), record)
