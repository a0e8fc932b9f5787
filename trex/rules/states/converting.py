"""A quantized engine whose GEMMs write floats, so that kernels of their own quantize for the next ones.

TensorRT for RTX 1.7 builds INT8 convolutions and GEMMs so, wherever Q/DQ are; no finding blames the model for it.
"""

from __future__ import annotations

from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

_LEAST_PCT = 20.0


def describe(facts: DiagnosisFacts) -> Description | None:
    if facts.fixes or not facts.engine.is_for_rtx:
        return None
    share = facts.share(facts.quantizers)
    if share < _LEAST_PCT:
        return None
    count = len(facts.quantizers)
    return Description(
        f"{facts.name} whose convolutions and GEMMs write floats: {count:,} kernels quantize for the next ones, "
        f"{share:.0f} % of the time",
        "TensorRT for RTX 1.7 always does so, TensorRT does not: compare with an FP16 model before deploying",
    )


STATE = State(95, describe)
