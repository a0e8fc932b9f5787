"""Poolings."""

from __future__ import annotations

from typing import Any

from trex.core.operator import Operator
from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import LayerEntry, LayerRecord, kernel_name, number
from trex.simulator.window import window_of


def pooling_parameters(operator: Operator | None, draft: Draft) -> dict[str, Any]:
    window = window_of(operator, draft)
    is_average = operator is not None and "Average" in operator.type
    return {
        "PoolingType": "AVERAGE" if is_average else "MAX",
        "WindowSize": list(window.kernel),
        "PaddingMode": "kEXPLICIT_ROUND_UP" if number(operator, "ceil_mode", 0) else "kEXPLICIT_ROUND_DOWN",
        "PrePadding": list(window.before),
        "PostPadding": list(window.after),
        "Stride": list(window.stride),
        "BlendFactor": 0,
        "AverageCountExcludesPadding": int(not number(operator, "count_include_pad", 0)),
    }


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    parameters = {"ParameterType": "Pooling", **pooling_parameters(step.main, draft)}
    word = "pooling_average" if parameters["PoolingType"] == "AVERAGE" else "pooling_max"
    return LayerRecord("CaskPooling", parameters, kernel_name(step, draft, word))


ENTRY = LayerEntry((StepKind.POOLING,), record)
