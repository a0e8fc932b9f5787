"""Data movement by position or index: slices, gathers, scatters, concatenations, resizes, top-k."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import LayerEntry, LayerRecord, kernel_name, number, word

_TYPES = {
    StepKind.SLICE: "Slice",
    StepKind.GATHER: "Gather",
    StepKind.SCATTER: "Scatter",
    StepKind.CONCATENATION: "Concatenation",
    StepKind.RESIZE: "Resize",
    StepKind.TOP_K: "TopK",
}


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    if step.facts.get("is_elided"):  # the producers of its inputs write into its output
        return LayerRecord("NoOp")
    name = _TYPES[step.kind]
    parameters: dict[str, object] = {"ParameterType": name}
    if step.main is not None and "axis" in step.main.attributes:
        parameters["Axis"] = number(step.main, "axis", 0)
    if step.kind is StepKind.RESIZE:
        parameters["Mode"] = word(step.main, "mode", "nearest").upper()
    if step.kind is StepKind.SLICE:
        parameters |= {"Mode": "DEFAULT", "Size": [size or -1 for size in draft.shape_of(step.outputs[0]) or ()]}
    return LayerRecord(name, parameters, kernel_name(step, draft, name.lower()))


ENTRY = LayerEntry(tuple(_TYPES), record)
