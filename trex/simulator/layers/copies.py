"""What moves bytes by place or index: slices, gathers, scatters, concatenations, resizes, the largest few."""

from __future__ import annotations

from trex.simulator.draft import Draft, Kind, Step
from trex.simulator.layer_entry import LayerEntry, Told, kernel_name, number, word

_TYPES = {
    Kind.SLICE: "Slice",
    Kind.GATHER: "Gather",
    Kind.SCATTER: "Scatter",
    Kind.CONCATENATION: "Concatenation",
    Kind.RESIZE: "Resize",
    Kind.TOP_K: "TopK",
}


def tell(step: Step, draft: Draft) -> Told:
    if step.facts.get("is_elided"):  # those who write its inputs write into its output
        return Told("NoOp")
    name = _TYPES[step.kind]
    parameters: dict[str, object] = {"ParameterType": name}
    if step.main is not None and "axis" in step.main.attributes:
        parameters["Axis"] = number(step.main, "axis", 0)
    if step.kind is Kind.RESIZE:
        parameters["Mode"] = word(step.main, "mode", "nearest").upper()
    if step.kind is Kind.SLICE:
        parameters |= {"Mode": "DEFAULT", "Size": [size or -1 for size in draft.shape_of(step.outputs[0]) or ()]}
    return Told(name, parameters, kernel_name(step, draft, name.lower()))


ENTRY = LayerEntry(tuple(_TYPES), tell)
