"""Tensors without a scale in an INT8 engine.

What it finds: builder messages that tensors have no scale, or that the network was not calibrated.
Why it matters: a layer whose tensors have no scale runs in a float type instead of INT8; without any calibration the
outputs are wrong as well.
What to try: quantize the model explicitly (Q/DQ at the inputs of the layers that should run in INT8), or calibrate with
data that reach every tensor.
Does not apply: tensors that should stay in a float type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule

_SEVERITIES = {"no-scale-for-int8": Severity.WARNING, "no-calibration": Severity.ERROR}


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    for note in engine.plan.notes:
        if note.code not in _SEVERITIES:
            continue
        yield Finding(
            note.message,
            evidence=(Evidence("where", note.where or None),),
            fix=(
                *((note.hint,) if note.hint else ()),
                "quantize explicitly: QuantizeLinear and DequantizeLinear before the inputs of each INT8 layer",
            ),
            documentation=(
                "TensorRT Developer Guide: Working with Quantized Types, explicit and implicit quantization",
            ),
            how_to_check="the new build log has no such message, and the layers compute in INT8",
            confidence=0.9,
            severity=_SEVERITIES[note.code],
        )


RULE = Rule("BUILD006", "tensors without an INT8 scale", Severity.WARNING, check)
