"""Reformats into another type or format; unfused quantize and dequantize layers run as such reformats."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import LayerEntry, LayerRecord


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    origin = "QDQ" if step.kind in (StepKind.QUANTIZE, StepKind.DEQUANTIZE) else "REFORMAT"
    return LayerRecord("Reformat", {"ParameterType": "Reformat", "Origin": origin})


ENTRY = LayerEntry((StepKind.REFORMAT, StepKind.QUANTIZE, StepKind.DEQUANTIZE), record)
