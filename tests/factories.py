"""Small engines from core facts, for tests: ``conv("a", inputs=[t("x", [1, 64, 56, 56], "FP16")], outputs=[…])``.

Every function makes one frozen fact together with the record TensorRT would have written for it. ``chain`` numbers the
layers of an engine in execution order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod
from types import SimpleNamespace
from typing import Any

from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.layer import Layer, NameParts, Precision, Role, Weights
from trex.core.metadata import Metadata
from trex.core.provenance import Provenance
from trex.core.tensor import Binding, Tensor
from trex.core.tensor_format import UNKNOWN_FORMAT, TensorFormat
from trex.core.timings import LayerTime

LABELS = {data_type.label: data_type for data_type in DataType}
WORDS = {"FP32": "Float", "FP16": "Half", "BF16": "BFloat16", "INT8": "Int8"} | {"INT32": "Int32", "BOOL": "Bool"}
FORMATS = {
    "NCHW": TensorFormat("NCHW", "linear"),
    "NHWC": TensorFormat("NHWC", "channels-last"),
    "NHWC4": TensorFormat("NHWC4", "channels-last", 4),
    "NHWC8": TensorFormat("NHWC8", "channels-last", 8),
    "NC/32HW32": TensorFormat("NC/32HW32", "vectorized", 32),
    "Unknown": UNKNOWN_FORMAT,
}
SENTENCES = {
    "NCHW": "Row major linear {}",
    "NHWC": "Channel major {} format",
    "NHWC4": "Channel major {} format where channel % 4 == 0",
    "NHWC8": "Channel major {} format where channel % 8 == 0",
    "NC/32HW32": "Thirty-two wide channel vectorized row major {} format",
    "Unknown": "{}",
}


def t(name: str, shape: Sequence[int | None] | None = (1, 8, 4, 4), type: str = "FP16", format: str = "NCHW") -> Tensor:
    """A tensor: ``t("x", [1, 64, None, 56], "INT8", "NHWC")``; shape None when even the rank is unknown."""
    data_type, layout = LABELS[type], FORMATS[format]
    dims = None if shape is None else tuple(shape)
    raw = {
        "Name": name,
        "Location": "Device",
        "Dimensions": [] if dims is None else [-1 if dim is None else dim for dim in dims],
        "Format/Datatype": SENTENCES[format].format(WORDS.get(type, type)),
    }
    return Tensor(name, dims, data_type, layout, data_type.size_bytes(layout.padded_volume(dims)), "Device", raw)


def tensors(items: Iterable[Tensor | str]) -> tuple[Tensor, ...]:
    """Tensors as they are; a bare name stands for a small FP16 tensor."""
    return tuple(t(item) if isinstance(item, str) else item for item in items)


def stored(kind: str, type: str, count: int | None) -> Weights:
    """Stored parameters: ``stored("bias", "FP32", 64)``."""
    return Weights(kind, LABELS[type], count, LABELS[type].size_bytes(count))


def layer(
    name: str,
    type: str = "PointWise",
    inputs: Iterable[Tensor | str] = ("x",),
    outputs: Iterable[Tensor | str] = ("y",),
    *,
    subtype: str = "",
    role: Role = Role.KERNEL,
    weights: Sequence[Weights] = (),
    precision: str = "",
    tactic: str = "",
    stream: int | None = None,
    profile: int = 0,
    origins: Sequence[str] = (),
    module: str = "",
    **raw: Any,
) -> Layer:
    """Any layer; keyword arguments beyond the named ones become keys of its record (``Axes=2``)."""
    ins, outs = tensors(inputs), tensors(outputs)
    data_type = LABELS[precision] if precision else ins[0].data_type if ins else DataType.UNKNOWN
    record: dict[str, Any] = {
        "Name": name,
        "LayerType": subtype or type,
        "Inputs": [tensor.raw for tensor in ins],
        "Outputs": [tensor.raw for tensor in outs],
    }
    if subtype:
        record["ParameterType"] = type
    record |= raw
    if tactic:
        record["TacticName"] = tactic
    if stream is not None:
        record["StreamId"] = stream
    if origins:
        record["Metadata"] = "\x1e".join(f"[ONNX Layer: {origin}]" for origin in origins)
    return Layer(
        index=0,
        name=name,
        occurrence=0,
        type=type,
        subtype=subtype or type,
        role=role,
        inputs=ins,
        outputs=outs,
        weights=tuple(weights),
        compute=Precision(data_type, 0.5 if data_type.is_known else 0.0, "the test says so"),
        tactic=tactic,
        tactic_value=None,
        stream=stream,
        profile=profile,
        origins=tuple(origins),
        name_parts=NameParts((name,)),
        module=module,
        raw=record,
    )


def conv(
    name: str,
    inputs: Sequence[Tensor | str],
    outputs: Sequence[Tensor | str],
    kernel: Sequence[int] = (1, 1),
    *,
    groups: int = 1,
    stride: int = 1,
    weights: str = "",
    bias: str = "",
    type: str = "Convolution",
    **raw: Any,
) -> Layer:
    """A convolution of any rank; ``weights`` is the label of their type (by default the input's), ``bias`` likewise."""
    ins, outs = tensors(inputs), tensors(outputs)
    label = weights or ins[0].precision
    channels, maps = (tensor.shape[1] or 0 if tensor.shape else 0 for tensor in (ins[0], outs[0]))
    kept = [stored("weights", label, channels * maps // groups * prod(kernel))]
    if bias:
        kept.append(stored("bias", bias, maps))
    keys: dict[str, Any] = {
        "Kernel": list(kernel),
        "Stride": [stride] * len(kernel),
        "Dilation": [1] * len(kernel),
        "OutMaps": maps,
        "Groups": groups,
        "Weights": {"Type": WORDS.get(label, label), "Count": kept[0].count},
        "Bias": {"Type": WORDS.get(bias or label, bias or label), "Count": maps if bias else 0},
        "HasBias": int(bool(bias)),
        "HasReLU": 0,
        "Activation": "NONE",
    }
    return layer(name, type, ins, outs, subtype=f"Cask{type}", weights=kept, **(keys | raw))


def noop(name: str, source: Tensor | str, output: Tensor | str) -> Layer:
    """A layer that launches nothing: a view."""
    return layer(name, "NoOp", [source], [output], role=Role.NOOP)


def gemm(name: str, a: Tensor, b: Tensor, output: Tensor, *others: Tensor) -> Layer:
    """A Myelin matrix product as the reader leaves it: ``b`` (and the others) stored, so no longer among the inputs."""
    product = layer(name, "gemm", [a, b, *others], [output])
    kept = tuple(Weights("input", item.data_type, item.volume, item.size_bytes) for item in (b, *others))
    return replace(product, inputs=(a,), weights=kept)


def chain(*layers: Layer) -> tuple[Layer, ...]:
    """The layers as one engine has them: numbered in execution order, repeated names counted per profile."""
    seen: Counter[tuple[int, str]] = Counter()
    numbered = []
    for index, item in enumerate(layers):
        numbered.append(replace(item, index=index, occurrence=seen[item.profile, item.name]))
        seen[item.profile, item.name] += 1
    return tuple(numbered)


def engine(*layers: Layer, inputs: Sequence[str] = (), outputs: Sequence[str] = (), name: str = "engine") -> Engine:
    """An engine of these layers; ``inputs`` and ``outputs`` name its bindings."""
    numbered = chain(*layers)
    last = {tensor.name: tensor for item in numbered for tensor in (*item.inputs, *item.outputs)}
    bindings = [Binding(tensor, True, last.get(tensor)) for tensor in inputs]
    bindings += [Binding(tensor, False, last.get(tensor)) for tensor in outputs]
    return Engine(numbered, tuple(bindings), name=name)


def time(name: str, average_ms: float | None, *, share_pct: float | None = None, occurrence: int = 0) -> LayerTime:
    """A profile record over 10 iterations."""
    total = None if average_ms is None else average_ms * 10
    return LayerTime(name, occurrence, total, average_ms, average_ms, share_pct)


def times(layers: Sequence[Layer], *average_ms: float | None) -> tuple[LayerTime | None, ...]:
    """One record per layer; None where the layer has no record."""
    return tuple(None if ms is None else time(item.name, ms) for item, ms in zip(layers, average_ms, strict=True))


def drawn_plan(whole: Engine, layer_times: Sequence[LayerTime], name: str) -> Any:
    """What a drawing asks of a plan, for an engine without files."""
    return SimpleNamespace(
        working_layers=whole.layers,
        times=tuple(layer_times),
        engine=whole,
        name=name,
        provenance=Provenance.MEASURED,
        is_profiled=False,
        has_jumps=False,
        profile_words="",
        query_times=None,
        layer_times=None,
        notes=(),
        metadata=Metadata(),
    )
