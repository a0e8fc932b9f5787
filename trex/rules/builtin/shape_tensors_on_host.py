"""Shapes that move between host and device.

What it finds: layers that copy between the host and the GPU (``ShapeHostToDevice``, ``DeviceToShapeHost``, or an input
on one side and an output on the other), and shape arithmetic on the host.
Why it matters: the CPU computes shapes, the GPU computes data. A shape that is computed from data must come back first:
the CPU waits for the GPU, and the GPU for the launches that follow.
What to try: shape inputs as inputs of the engine on the host; static extents if they are known (fix them in the ONNX
model, fold constants); Reshape with 0 and −1 instead of Shape, Gather, Concat; no arithmetic that mixes shapes and
data.
Does not apply: inputs that are on the host and only read there; counters and conditions of engines with jumps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.layer import Layer, Role
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import PROFILE_HINT, cost, layer_name, listed


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    copies = [position for position, layer in enumerate(engine.layers) if layer.is_host_copy]
    shapes = [
        position
        for position, layer in enumerate(engine.layers)
        if layer.role is Role.SHAPE and not engine.has_jumps  # else they may be loop counters and conditions
    ]
    savings = engine.savings([*copies, *shapes])
    if copies:
        yield _finding(engine, copies, shapes, savings)
        return
    calls = sum(layer.role is Role.SHAPE for layer in engine.plan.engine.layers)
    if shapes and engine.is_timed and engine.takes_share(sum(savings.values()), limits["share"]):
        yield _finding(engine, [], shapes, savings)
    elif calls >= limits["calls"] and not engine.is_timed:
        yield Unchecked(
            f"{calls:,} layers compute shapes on the host; without layer times their cost is unknown",
            PROFILE_HINT,
            engine.indexes(shapes),
        )


def _finding(engine: AnalyzedEngine, copies: list[int], shapes: list[int], savings: dict[int, float]) -> Finding:
    time = f", {cost(sum(savings.values()), engine)}" if savings else ""
    to_host = sum(_writes_host(engine.layers[position]) for position in copies)
    if copies:
        names = listed(layer_name(engine.layers[position]) for position in copies)
        sides = f"between host and device, {to_host:,} of them to the host"
        message = f"{counted(len(copies), 'layer copies', 'layers copy')} {sides}{time}: {names}"
    else:
        message = f"{counted(len(shapes), 'layer computes', 'layers compute')} shapes on the host{time}"
    return Finding(
        message,
        layers=engine.indexes((*copies, *shapes)),
        savings=savings,
        formula="times of the copies and of the layers that compute shapes" if savings else "",
        evidence=(
            Evidence("copies", len(copies)),
            Evidence("to the host", to_host),
            Evidence("layers that compute shapes", len(shapes)),
        ),
        fix=(
            "polygraphy surgeon sanitize MODEL.onnx --fold-constants --override-input-shapes NAME:[…] -o FIXED.onnx",
            "pass the shape as an input of the engine (a shape tensor on the host), not as data on the device",
            "write Reshape with 0 and -1 instead of Shape, Gather and Concat",
        ),
        documentation=(
            "TensorRT Developer Guide: Execution Tensors vs. Shape Tensors",
            "pytorch/TensorRT issue 4717",
        ),
        how_to_check="the new engine has no such layers, and trtexec's enqueue time falls",
        confidence=0.8 if to_host else 0.6,
        severity=None if to_host else Severity.NOTE,
        tensors=tuple(dict.fromkeys(tensor.name for p in copies for tensor in engine.layers[p].outputs)),
    )


def _writes_host(layer: Layer) -> bool:
    return any(tensor.location == "Host" for tensor in layer.outputs) or "DeviceToShapeHost" in layer.type + layer.name


RULE = Rule(
    "SHAPE004",
    "shapes that move between host and device",
    Severity.WARNING,
    check,
    {
        "share": RuleLimit(2.0, "%", "least share of shape arithmetic without copies in the time"),
        "calls": RuleLimit(10.0, "", "least number of shape layers in an engine without times"),
    },
)
