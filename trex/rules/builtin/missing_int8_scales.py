"""Tensors without a scale in an INT8 engine.

What it finds: the builder's messages that tensors have no scale, or that nothing calibrated the network.
Why it matters: a layer whose tensors have no scale cannot run in INT8 and runs in a float type; without any calibration
the outputs are wrong as well.
What to try: quantize the model explicitly (Q/DQ at the inputs of what should be INT8), or calibrate with data that
reaches every tensor.
Does not apply: tensors that are meant to stay in a float type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule

_CODES = {"no-scale-for-int8": Severity.WARNING, "no-calibration": Severity.ERROR}


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    for note in seen.plan.notes:
        if note.code not in _CODES:
            continue
        yield Finding(
            note.message,
            evidence=(Evidence("where", note.where or None),),
            advice=(
                *((note.hint,) if note.hint else ()),
                "explicit quantization: QuantizeLinear and DequantizeLinear before the inputs of each layer to be INT8",
            ),
            documentation=(
                "TensorRT Developer Guide: Working with Quantized Types, explicit and implicit quantization",
            ),
            proof="the log of the new build has no such message, and the layers compute in INT8",
            confidence=0.9,
            severity=_CODES[note.code],
        )


RULE = Rule("BUILD006", "tensors without an INT8 scale", Severity.WARNING, check)
