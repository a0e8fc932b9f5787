"""Reductions along axes."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import LayerEntry, LayerRecord, axes_mask, kernel_name, number, numbers

_OPERATIONS = {"ReduceMean": "AVG", "ReduceMax": "MAX", "ReduceMin": "MIN", "ReduceProd": "PROD"}


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    source = draft.shape_of(step.inputs[0]) if step.inputs else None
    operation = _OPERATIONS.get(step.main.type, "SUM") if step.main is not None else "SUM"
    parameters = {
        "ParameterType": "Reduce",
        "Operation": operation,
        "ReduceAxes": axes_mask(_axes(step, draft), len(source or ())),
        "KeepDimensions": int(bool(number(step.main, "keepdims", 1))),
    }
    return LayerRecord("Reduce", parameters, kernel_name(step, draft, f"reduce_{operation.lower()}"))


def _axes(step: BuildStep, draft: Draft) -> tuple[int, ...]:
    operator = step.main
    source = draft.shape_of(step.inputs[0]) if step.inputs else None
    if operator is not None and isinstance(operator.attributes.get("axis"), int):
        return (number(operator, "axis", 0),)
    axes = numbers(operator, "axes")
    if axes is None and operator is not None and len(operator.inputs) > 1:
        value = draft.model.value(operator.inputs[1])
        axes = None if value is None or value.numbers is None else tuple(map(int, value.numbers))
    return tuple(range(len(source or ()))) if axes is None else axes


ENTRY = LayerEntry((StepKind.REDUCE,), record)
