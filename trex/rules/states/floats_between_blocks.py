"""A quantized engine whose data leave the quantized type between its blocks."""

from __future__ import annotations

from trex.core.counted import counted
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

_RULES = (
    "conversions-of-quantization",
    "float-island",
    "quantized-layer-writes-float",
    "residual-add-in-float",
    "standalone-quantization",
)


def describe(facts: DiagnosisFacts) -> Description | None:
    if not facts.fixes or facts.fixes[0].rule not in _RULES:
        return None
    conversions = {*facts.copies, *facts.quantizers}
    noun = "reformat" if conversions <= set(facts.copies) else "conversion"
    verb = "takes" if len(conversions) == 1 else "take"
    share = facts.share(conversions)
    words = f"{counted(len(conversions), noun)} {verb} {share:.0f} %" if share >= 1.0 else facts.main_types
    return Description(f"{facts.name} with floats between its blocks: {words}")


STATE = State(80, describe)
