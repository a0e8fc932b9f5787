"""Copies into another type or layout; quantize and dequantize layers that nothing took in run as such copies."""

from __future__ import annotations

from trex.simulator.draft import Draft, Kind, Step
from trex.simulator.layer_entry import LayerEntry, Told


def tell(step: Step, draft: Draft) -> Told:
    origin = "QDQ" if step.kind in (Kind.QUANTIZE, Kind.DEQUANTIZE) else "REFORMAT"
    return Told("Reformat", {"ParameterType": "Reformat", "Origin": origin})


ENTRY = LayerEntry((Kind.REFORMAT, Kind.QUANTIZE, Kind.DEQUANTIZE), tell)
