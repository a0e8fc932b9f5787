"""Small profiled plans for tests of comparisons: ``profiled([layer, …], [ms, …])``, ``chained(4, "INT8", 0.1)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.factories import chain, conv, engine, layer, t, time
from trex.core.layer import Layer, NameParts
from trex.core.timings import LayerTimes
from trex.ingest.spelling.layer_names import parse_name
from trex.plan.engine_plan import EnginePlan


def profiled(layers: Sequence[Layer], times: Sequence[float | None], name: str = "engine") -> EnginePlan:
    """A plan of these layers in their order; None for one without a time."""
    numbered = chain(*layers)
    records = tuple(
        replace(time(each.name, ms), occurrence=each.occurrence)
        for each, ms in zip(numbered, times, strict=True)
        if ms is not None
    )
    return EnginePlan(engine(*numbered, inputs=["x0"], name=name), LayerTimes(records))


def kernel(
    origins: Sequence[str], read: str, written: str, *, type: str = "FP16", macs: bool = True, **more: object
) -> Layer:
    """A convolution (or, without ``macs``, a pointwise kernel) that holds these ONNX nodes."""
    name = " + ".join(origins)
    shape = [1, 8, 16, 16]
    if macs:
        made = conv(name, [t(read, shape, type)], [t(written, shape, type)], (3, 3))
    else:
        made = layer(name, "PointWise", [t(read, shape, type)], [t(written, shape, type)])
    return replace(made, origins=tuple(origins), name_parts=NameParts(tuple(origins), "vertical"), **more)  # type: ignore[arg-type]


def reformat(serves: str, read: str, written: str, types: tuple[str, str] = ("FP16", "INT8")) -> Layer:
    """A conversion that TensorRT put in before a layer."""
    name = f"Reformatting CopyNode for Input Tensor 0 to {serves}"
    shape = [1, 8, 16, 16]
    made = layer(name, "Reformat", [t(read, shape, types[0])], [t(written, shape, types[1])])
    return replace(made, name_parts=parse_name(name))


def quantizer(node: str, read: str, written: str) -> Layer:
    """A quantizer of the model with a kernel of its own."""
    shape = [1, 8, 16, 16]
    made = layer(node, "Reformat", [t(read, shape, "FP16")], [t(written, shape, "INT8")])
    return replace(made, origins=(node,))


def chained(times: Sequence[float], type: str = "FP16", name: str = "engine") -> EnginePlan:
    """Convolutions /c0/Conv, /c1/Conv … one after the other."""
    layers = [kernel([f"/c{at}/Conv"], f"x{at}", f"x{at + 1}", type=type) for at in range(len(times))]
    return profiled(layers, times, name)
