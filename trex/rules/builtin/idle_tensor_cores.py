"""Convolutions and matrix products that leave the tensor cores idle.

What it finds: products in a type that the GPU's matrix units take (FP16, BF16, INT8, FP8, and FP32 as TF32) whose
kernel multiplies on the CUDA cores. The kernel's name says so; of TensorRT's own depthwise kernels, which have no
name, the layer's type does. An ``xmma`` kernel for FP32 without TF32 is one of them.
Why it matters: the matrix units multiply 4 to 16 times as fast as the CUDA cores. A large product without them is
bound by arithmetic that other units would do in passing.
What to try: channels that are multiples of 8 (FP16) or 32 (INT8), so that kernels for the matrix units fit; FP16 or
TF32 in place of FP32 (no ``--noTF32``); a higher ``--builderOptimizationLevel``; tactic sources and timing caches that
do not shut the better kernel out. Depthwise convolutions: see below.
Does not apply: to products with a vector, which the memory bounds; to devices without matrix units for the type;
where the name of the kernel does not tell its units. Depthwise and grouped convolutions sum over few channels, which
matrix units cannot use: they are told, but only another layer (a full convolution, fewer groups) would change it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.core.provenance import Provenance
from trex.core.tactic import Tactic
from trex.perf.arithmetic import Arithmetic
from trex.perf.roofline import LAUNCH_MS
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.operations import capability_of
from trex.rules.rule import Rule
from trex.rules.type_flow import PRODUCTS
from trex.rules.wording import main_operation, ms, priced

_SUMS = {
    DataType.FP16: DataType.FP32,
    DataType.BF16: DataType.FP32,
    DataType.FP8: DataType.FP32,
    DataType.INT8: DataType.INT32,
    DataType.FP32: DataType.FP32,
}
"""Types that matrix units multiply, and in which they add."""
_TF32_SINCE = 80
_FEWEST = 4
_FORMULA = (
    "time − max(2 · macs / rate of the tensor cores, bytes / bandwidth of the memory, bytes / bandwidth of the L2, "
    "2 µs of a launch); of fewer than four input channels four are multiplied"
)
_DOCUMENTATION = (
    "NVIDIA Deep Learning Performance: Matrix Multiplication Background User's Guide, Requirements to Use Tensor Cores",
    "TensorRT Developer Guide: Optimizing for Tensor Cores",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    units = _Units(seen)
    unknown: list[int] = []
    for place in seen.of_type(*PRODUCTS):
        layer, kernel = seen.layers[place], seen.kernels[place]
        if kernel.tensor_core:
            continue
        operands = kernel.input_type if kernel.input_type.is_known else layer.compute.data_type
        work = seen.performance.works[place]
        if work.m == 1 or (work.n == 1 and layer.type not in _CONVOLUTIONS):
            continue
        why = _why(layer, kernel)
        if operands in _SUMS and units.rate(operands) is None and seen.performance.device is not None:
            continue
        if operands is DataType.FP32 and units.capability is not None and units.capability < _TF32_SINCE:
            continue
        if why and operands in _SUMS and not (operands is DataType.FP32 and units.capability is None):
            yield _finding(seen, place, operands, why, units)
        elif operands in _SUMS or not operands.is_known:
            unknown.append(place)
    if unknown:
        yield CannotTell(
            f"{len(unknown):,} of the products have a kernel whose name does not tell on which units it multiplies",
            "the kernels of a simulation are invented: build on a GPU, trex process MODEL.onnx OUT"
            if seen.plan.provenance is Provenance.SIMULATED
            else "build with --profilingVerbosity=detailed; a profile of the kernels (nsys) tells their full names",
            tuple(seen.layers[place].index for place in unknown),
        )


_CONVOLUTIONS = frozenset({"Convolution", "Deconvolution", "ConvActPool", "conv", "deconv"})


class _Units:
    """Rates of the device's matrix units, each looked up once; FP32 counts as TF32."""

    def __init__(self, seen: Inspected) -> None:
        self._device = seen.performance.device
        self.capability = capability_of(seen)
        self._found: dict[DataType, float | None] = {}

    def rate(self, operands: DataType) -> float | None:
        if self._device is None:
            return None
        if operands not in self._found:
            arithmetic = Arithmetic(operands, _SUMS[operands], True, tf32=operands is DataType.FP32)
            rate = self._device.ops_per_s(arithmetic)
            self._found[operands] = None if rate is None else rate.per_second
        return self._found[operands]


def _is_depthwise(layer: Layer) -> bool:
    groups = layer.raw.get("Groups")
    channels = layer.inputs[0].shape[1] if layer.inputs and layer.inputs[0].shape and layer.inputs[0].shape[1:] else 0
    return "depthwise" in layer.subtype.lower() or (type(groups) is int and groups > 1 and groups == channels)


def _padding(layer: Layer) -> float:
    """Products of the first convolution's kernels for tensor cores, which take four channels, over those needed."""
    shape = layer.inputs[0].shape if layer.inputs and layer.type in _CONVOLUTIONS else None
    channels = shape[1] if shape is not None and len(shape) > 2 else None
    return _FEWEST / channels if channels and channels < _FEWEST and layer.raw.get("Groups", 1) == 1 else 1.0


def _why(layer: Layer, kernel: Tactic) -> str:
    """How it is known that matrix units are idle, "" where it is not."""
    if kernel.tensor_core is False:
        return "its kernel multiplies on the CUDA cores"
    if kernel.tensor_core is None and not layer.tactic and "depthwise" in layer.subtype.lower():
        return "TensorRT's depthwise kernel has no use for them"
    return ""


def _finding(seen: Inspected, place: int, operands: DataType, why: str, units: _Units) -> Finding:
    layer, work, roofline = seen.layers[place], seen.performance.works[place], seen.performance.roofline
    depthwise = _is_depthwise(layer)
    time_ms = float(seen.times_ms[place])
    rate = units.rate(operands)
    at_stake: dict[int, float] = {}
    gain = None
    if rate and work.macs is not None and time_ms > 0:
        memory = (float(roofline.memory_ms[place]), float(roofline.l2_ms[place]))
        best = max(2e3 * work.macs * _padding(layer) / rate, LAUNCH_MS, *(each for each in memory if each == each))
        gain = max(0.0, time_ms - best)
        at_stake = {layer.index: gain} if gain else {}
    kind = "TF32" if operands is DataType.FP32 else operands.label
    message = f"{main_operation(layer)} multiplies {operands.label} without tensor cores: {why}"
    if gain is not None:
        message += f"; up to {ms(gain)} of its {priced(time_ms, seen.total_ms)}"
    return Finding(
        message,
        (layer.index,),
        at_stake,
        _FORMULA if at_stake else "",
        (
            Evidence("kernel", layer.tactic or layer.subtype),
            Evidence("operands", operands.label),
            Evidence("multiply-adds", work.macs),
            Evidence("time", time_ms if time_ms == time_ms else None, "ms"),
        ),
        _advice(layer, operands, depthwise),
        _DOCUMENTATION,
        f"after the change the kernel's name holds tensor, hmma, imma or {kind.lower()} for this layer",
        0.4 if depthwise else 0.6 if operands is DataType.FP32 else 0.9,
        Severity.NOTE if depthwise or gain == 0.0 else None,
    )


def _advice(layer: Layer, operands: DataType, depthwise: bool) -> tuple[str, ...]:
    if depthwise:
        return (
            "leave depthwise convolutions in FP16: INT8 seldom makes them faster, as memory bounds them",
            "where the model may be changed: a full or less grouped convolution in early stages, as fused "
            "inverted bottlenecks do",
        )
    if operands is DataType.FP32:
        return (
            "build with FP16: trtexec --fp16 (TensorRT 10 and before), or an ONNX model in FP16 (strongly typed)",
            "leave TF32 on: no --noTF32, and no torch.backends.*.allow_tf32 = False of the exporter in mind",
            "trtexec --builderOptimizationLevel=5",
        )
    multiple = 32 if operands is DataType.INT8 else 8
    return (
        f"pad input and output channels to multiples of {multiple} (zero weights) and build again",
        "trtexec --builderOptimizationLevel=5, without a timing cache of another build",
        "do not restrict --tacticSources",
    )


RULE = Rule("CONV001", "tensor cores idle", Severity.WARNING, check)
