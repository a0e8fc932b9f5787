"""Softmax over one axis."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import LayerEntry, LayerRecord, axes_mask, kernel_name, number


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    rank = len(draft.shape_of(step.outputs[0]) or ())
    axes = axes_mask((number(step.main, "axis", -1),), rank)
    is_log = step.main is not None and step.main.type == "LogSoftmax"
    return LayerRecord(
        "CudaSoftMax",
        {"ParameterType": "SoftMax", "Axes": axes, "HasLog": int(is_log)},
        kernel_name(step, draft, "softmax"),
    )


ENTRY = LayerEntry((StepKind.SOFTMAX,), record)
