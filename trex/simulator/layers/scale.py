"""Multiplication and shift by constants, by channel."""

from __future__ import annotations

from trex.simulator.draft import Draft, Kind, Step
from trex.simulator.layer_entry import LayerEntry, Told, kernel_name
from trex.simulator.spelling import type_word


def tell(step: Step, draft: Draft) -> Told:
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
    return Told("Scale", parameters, kernel_name(step, draft, "scale"))


ENTRY = LayerEntry((Kind.SCALE,), tell)
