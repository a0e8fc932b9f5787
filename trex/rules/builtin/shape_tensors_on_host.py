"""Shapes that travel between host and device.

What it finds: layers that copy between the host and the GPU (``ShapeHostToDevice``, ``DeviceToShapeHost``, or an input
on one side and an output on the other), and the shape arithmetic that runs on the host besides.
Why it matters: shapes are computed by the CPU, data by the GPU. A shape that is computed from data must come back
first: the CPU waits for the GPU, and the GPU for the launches that follow.
What to try: shape inputs as inputs of the engine on the host; static extents where they are known (fix them in the
ONNX model, fold constants); Reshape with 0 and −1 in place of Shape, Gather, Concat; no arithmetic that mixes shapes
and data.
Does not apply: to inputs that lie on the host and are only read there: that is where they belong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.core.layer import Layer, Role
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, priced, shortened

_COPIES = frozenset({"ShapeHostToDevice", "DeviceToShapeHost", "ShapeHostToDeviceCopy", "DeviceToShapeHostCopy"})
_MARKS = ("ShapeHostToDevice", "DeviceToShapeHost")
_FORMULA = "times of the copies and of the layers that compute shapes"
_DOCUMENTATION = (
    "TensorRT Developer Guide: Execution Tensors vs. Shape Tensors",
    "pytorch/TensorRT issue 4717",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    crossing = [place for place, layer in enumerate(seen.layers) if _crosses(layer)]
    shapes = [place for place, layer in enumerate(seen.layers) if layer.role is Role.SHAPE]
    at_stake = seen.stake([*crossing, *shapes])
    sum_ms = sum(at_stake.values())
    if not crossing:
        calls = [layer for layer in seen.plan.all_layers if layer.role is Role.SHAPE]
        if shapes and seen.is_timed and 100 * sum_ms >= limits["share"] * seen.total_ms:
            yield _finding(seen, [], shapes, at_stake)
        elif len(calls) >= limits["calls"] and not seen.is_timed:
            yield CannotTell(
                f"{len(calls):,} layers compute shapes on the host; without layer times nobody knows what they cost",
                "profile the engine",
                tuple(seen.layers[place].index for place in shapes),
            )
        return
    yield _finding(seen, crossing, shapes, at_stake)


def _crosses(layer: Layer) -> bool:
    if layer.type in _COPIES or layer.subtype in _COPIES:
        return True
    if "Shape" in layer.name and any(mark in layer.name for mark in _MARKS):
        return True
    if all(tensor.location != "Host" for tensor in layer.inputs + layer.outputs):
        return False
    sources = {tensor.location for tensor in layer.inputs if tensor.location}
    targets = {tensor.location for tensor in layer.outputs if tensor.location}
    return ("Device" in sources and "Host" in targets) or (sources == {"Host"} and "Device" in targets)


def _finding(seen: Inspected, crossing: list[int], shapes: list[int], at_stake: dict[int, float]) -> Finding:
    sum_ms = sum(at_stake.values())
    taken = f" ({priced(sum_ms, seen.total_ms)})" if at_stake else ""
    back = [place for place in crossing if _to_host(seen.layers[place])]
    if crossing:
        names = listed(shortened(seen.layers[place].name) for place in crossing)
        message = (
            f"{len(crossing):,} layers copy between host and device, {len(back):,} of them to the host{taken}: {names}"
        )
    else:
        message = f"{len(shapes):,} layers compute shapes on the host{taken}"
    places = [*crossing, *shapes]
    return Finding(
        message,
        tuple(seen.layers[place].index for place in places),
        at_stake,
        _FORMULA if at_stake else "",
        (
            Evidence("copies", len(crossing)),
            Evidence("to the host", len(back)),
            Evidence("layers that compute shapes", len(shapes)),
        ),
        (
            "polygraphy surgeon sanitize MODEL.onnx --fold-constants --override-input-shapes NAME:[…] -o FIXED.onnx",
            "give the shape as an input of the engine (a shape tensor on the host), not as data on the device",
            "write Reshape with 0 and -1 in place of Shape, Gather and Concat",
        ),
        _DOCUMENTATION,
        "the new engine has no such layers, and trtexec's enqueue time falls",
        0.8 if back else 0.6,
        None if back else Severity.NOTE,
        tuple(dict.fromkeys(tensor.name for place in crossing for tensor in seen.layers[place].outputs)),
    )


def _to_host(layer: Layer) -> bool:
    return any(tensor.location == "Host" for tensor in layer.outputs) or "DeviceToShapeHost" in layer.type + layer.name


RULE = Rule(
    "SHAPE004",
    "shapes that travel between host and device",
    Severity.WARNING,
    check,
    {
        "share": Limit(2.0, "%", "share of the time from which shape arithmetic without copies is told"),
        "calls": Limit(10.0, "", "layers of shape arithmetic from which an engine without times is asked about"),
    },
)
