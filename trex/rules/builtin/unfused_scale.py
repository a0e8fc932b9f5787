"""Q/DQ that TensorRT runs as Scale layers.

What it finds: Scale layers that quantize or dequantize: one side of them is INT8 or FP8, or their name is that of a
QuantizeLinear or DequantizeLinear.
Why it matters: a Q/DQ operator is meant to vanish in its neighbor. As a Scale layer it is a kernel that reads and
writes the whole tensor, and its neighbor is not quantized as intended.
What to try: see the operators at its sides: put Q/DQ directly before operators that run quantized, per-tensor scales on
activations, per-channel scales on weights; keep other operators from standing between.
Does not apply: Scale layers that compute in floats (batch normalization, multiplication and addition of constants).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.type_flow import QUANTIZED, is_quantization, operations_of
from trex.rules.wording import listed, main_operation, priced, shortened


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    unknown = []
    for place in seen.of_type("Scale"):
        layer = seen.layers[place]
        reads, writes = flow.reads[place], flow.writes[place]
        if not any(map(is_quantization, operations_of(layer))) and (reads in QUANTIZED) == (writes in QUANTIZED):
            if not reads.is_known and not writes.is_known:
                unknown.append(layer.index)
            continue
        time = seen.times[place]
        beside = [main_operation(seen.layers[each]) for each in (*seen.before(place), *seen.after(place))]
        yield Finding(
            f"{shortened(layer.name)} is Q/DQ that did not fuse: a Scale layer from {reads.label} to {writes.label}, "
            f"{priced(time, seen.total_ms)}",
            layers=(layer.index,),
            at_stake=seen.stake([place]),
            formula="the layer's time",
            evidence=(
                Evidence("reads", reads.label),
                Evidence("writes", writes.label),
                Evidence("neighbors", listed(beside)),
                Evidence("time", time, "ms"),
            ),
            advice=(
                f"put the Q/DQ pair directly before an operator that runs quantized (beside it: {listed(beside)})",
                "use per-tensor scales for activations; remove what stands between Q/DQ and its operator",
            ),
            documentation=("TensorRT Developer Guide: Working with Quantized Types, Q/DQ Layer-Node Fusions",),
            proof="after the change the engine has no Scale layer of that name",
            confidence=0.9,
        )
    if unknown:
        yield CannotTell("the types of these Scale layers' tensors are unknown", "", tuple(unknown))


RULE = Rule("QDQ005", "Q/DQ that runs as Scale layers", Severity.WARNING, check)
