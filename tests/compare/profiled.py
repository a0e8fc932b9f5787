"""Profiled plans for tests of comparisons: ``profiled([layer, …], [ms, …])``, ``chained([0.1, 0.2], "INT8")``, and
whole networks, ``made("resnet18-int8")``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.factories import chain, conv, engine, layer, t, time
from tests.synthetic import artifacts
from tests.synthetic.cnn import resnet18_fp16, resnet18_int8
from tests.synthetic.description import Description
from tests.synthetic.transformer import vision_transformer
from trex.core.layer import Layer, NameParts
from trex.core.timings import LayerTimes
from trex.ingest.spelling.layer_names import parse_name
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan

NETWORKS: dict[str, Callable[[], Description]] = {
    "resnet18-fp16": resnet18_fp16,
    "resnet18-int8": resnet18_int8,
    "resnet18-int8-residual": partial(resnet18_int8, residual_quantizers=True),
    "transformer-fp16": vision_transformer,
    **{f"resnet18-b{batch}": partial(resnet18_fp16, batch) for batch in (1, 8, 32, 64)},
}


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
    return replace(made, origins=tuple(origins), name_parts=NameParts(tuple(origins), "vertical"), **more)


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


def written(name: str, folder: Path) -> Path:
    """The files of one of the NETWORKS; the path of its graph."""
    for file, data in artifacts(NETWORKS[name](), stem=name, queries=256).items():
        (folder / file).write_bytes(data)
    return folder / f"{name}.graph.json"


@cache
def made(name: str) -> EnginePlan:
    """One of the NETWORKS, with all that its files tell."""
    with TemporaryDirectory() as folder:
        return load_plan(EnginePlan, str(written(name, Path(folder))))
