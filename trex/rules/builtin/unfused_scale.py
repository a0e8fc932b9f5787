"""Q/DQ that TensorRT runs as Scale layers.

What it finds: Scale layers that quantize or dequantize: one of their sides is INT8 or FP8, or their name is that of a
QuantizeLinear or DequantizeLinear.
Why it matters: a Q/DQ operator should fuse into its neighbor. As a Scale layer it is a kernel that reads and writes the
whole tensor, and its neighbor is not quantized as intended.
What to try: put Q/DQ directly before operators that run quantized, with per-tensor scales on activations and
per-channel scales on weights, and no other operator between.
Does not apply: Scale layers that compute in floats (batch normalization, multiplication and addition of constants).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import is_quantization, operations_of
from trex.rules.rule import Rule
from trex.rules.type_flow import QUANTIZED
from trex.rules.wording import cost_of, names_of, shortened


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    unknown = []
    for position in engine.of_type("Scale"):
        layer = engine.layers[position]
        reads, writes = flow.reads[position], flow.writes[position]
        if not any(map(is_quantization, operations_of(layer))) and (reads in QUANTIZED) == (writes in QUANTIZED):
            if not reads.is_known and not writes.is_known:
                unknown.append(position)
            continue
        neighbors = names_of((*engine.before(position), *engine.after(position)), engine)
        adjacent = f" (adjacent: {neighbors})" if neighbors else ""
        types = f" from {reads.label} to {writes.label}" if reads.is_known or writes.is_known else ""
        yield Finding(
            f"{shortened(layer.name)} is Q/DQ that did not fuse: a Scale layer{types}, {cost_of([position], engine)}",
            layers=(layer.index,),
            savings=engine.savings([position]),
            formula="the layer's time",
            evidence=(
                Evidence("reads", reads.label),
                Evidence("writes", writes.label),
                *((Evidence("neighbors", neighbors),) if neighbors else ()),
                Evidence("time", engine.times[position], "ms"),
            ),
            fix=(
                f"put the Q/DQ pair directly before an operator that runs quantized{adjacent}",
                "use per-tensor scales for activations; remove operators between Q/DQ and its operator",
            ),
            documentation=("TensorRT Developer Guide: Working with Quantized Types, Q/DQ Layer-Node Fusions",),
            how_to_check="the engine has no Scale layer of that name",
            confidence=0.9,
        )
    if unknown:
        yield Unchecked("the types of these Scale layers' tensors are unknown", layers=engine.indexes(unknown))


RULE = Rule("QDQ005", "Q/DQ that runs as Scale layers", Severity.WARNING, check)
