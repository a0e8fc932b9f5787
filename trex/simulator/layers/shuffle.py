"""Reshapes and transpositions that move bytes, in the order transpose, reshape, transpose."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import LayerEntry, LayerRecord, numbers


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    source = draft.shape_of(step.inputs[0]) if step.inputs else None
    rank = len(source or ())
    order = list(range(rank))
    turned = numbers(step.main, "perm") if step.main is not None and step.main.type == "Transpose" else None
    first = list(turned) if turned else order[::-1] if _is_plain_transpose(step) else order
    target = [size if size is not None else -1 for size in draft.shape_of(step.outputs[0]) or ()]
    parameters = {
        "ParameterType": "Shuffle",
        "FirstTranspose": first,
        "Reshape": "nbDims=-1" if turned else f"[{','.join(map(str, target))}]",
        "SecondTranspose": list(range(len(target))),
        "ZeroIsPlaceholder": 0,
    }
    return LayerRecord("Shuffle", parameters)


def _is_plain_transpose(step: BuildStep) -> bool:
    return step.main is not None and step.main.type == "Transpose"


ENTRY = LayerEntry((StepKind.SHUFFLE,), record)
