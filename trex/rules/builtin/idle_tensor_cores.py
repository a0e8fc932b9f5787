"""Convolutions and matrix products that do not use tensor cores.

What it finds: GEMMs in a type that the GPU's tensor cores multiply (FP16, BF16, INT8, FP8, and FP32 as TF32) whose
kernel runs on the CUDA cores, by its name. An ``xmma`` kernel for FP32 without TF32 is one of them.
Why it matters: tensor cores multiply 4 to 16 times as fast as CUDA cores. A large GEMM without them is bound by
arithmetic.
What to try: channels in multiples of 8 (FP16) or 32 (INT8), so that kernels for tensor cores fit; FP16 or TF32 instead
of FP32 (no ``--noTF32``); a higher ``--builderOptimizationLevel``; tactic sources and timing caches that do not exclude
the better kernel.
Does not apply: products with a vector, which memory bounds; devices without tensor cores for the type; kernels whose
name does not show their units; depthwise convolutions, and grouped ones of fewer channels than a tensor core takes at
once, which memory bounds; the first convolution in INT8, whose three or four channels would be padded eightfold; layers
that PREC001, PREC002 or PREC004 report, whose fix is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.perf.arithmetic import Arithmetic
from trex.perf.mac_rates import DeviceRates
from trex.perf.roofline import LAUNCH_MS
from trex.plan.gemm import groups_of
from trex.plan.kernels import is_chosen_late
from trex.plan.listed_operands import product_type, source_of
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import CONVOLUTIONS, GEMMS
from trex.rules.rule import Rule
from trex.rules.wording import cost, main_operation, ms

_SUMS = {
    DataType.FP16: DataType.FP32,
    DataType.BF16: DataType.FP32,
    DataType.FP8: DataType.FP32,
    DataType.INT8: DataType.INT32,
    DataType.FP32: DataType.FP32,
}
"""Types that tensor cores multiply, and the types in which they add."""
_TF32_SINCE = 80
_TAKEN_BYTES = 16
"""What a tensor core kernel loads of each position's channels at once."""
_FEWEST = 4
_FORMULA = (
    "time − max(2 · MACs / rate of the tensor cores, bytes / memory bandwidth, bytes / L2 bandwidth, 2 µs of a "
    "launch); fewer than four input channels count as four"
)
_DOCUMENTATION = (
    "NVIDIA Deep Learning Performance: Matrix Multiplication Background User's Guide, Requirements to Use Tensor Cores",
    "TensorRT Developer Guide: Optimizing for Tensor Cores",
)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    rates = DeviceRates(engine.performance.device)
    unknown: list[int] = []
    for position in engine.of_type(*GEMMS):
        layer, kernel = engine.layers[position], engine.kernels[position]
        if kernel.tensor_core or is_chosen_late(layer) or (engine.is_for_rtx and not layer.tactic):
            continue
        operands = engine.operand_type(position)
        gemm = engine.performance.works[position].gemm
        if gemm is not None and (gemm.m == 1 or (gemm.n == 1 and product_type(layer) not in CONVOLUTIONS)):
            continue
        if _has_few_channels(layer, operands):
            continue
        if operands in _SUMS and isnan(_rate(rates, operands)) and engine.performance.device is not None:
            continue
        if operands is DataType.FP32 and engine.capability is not None and engine.capability < _TF32_SINCE:
            continue
        is_known = kernel.tensor_core is False and not (operands is DataType.FP32 and engine.capability is None)
        if is_known and operands in _SUMS:
            yield _finding(engine, position, operands, rates)
        elif operands in _SUMS or not operands.is_known:
            unknown.append(position)
    if unknown:
        yield Unchecked(
            f"{len(unknown):,} GEMMs have a kernel whose name does not show whether it uses tensor cores",
            "build with --profilingVerbosity=detailed; a kernel profile (nsys) contains their full names",
            engine.indexes(unknown),
        )


def _rate(rates: DeviceRates, operands: DataType) -> float:
    """Of the device's tensor cores, NaN if unknown; FP32 counts as TF32."""
    return rates.of(Arithmetic(operands, _SUMS[operands], True, tf32=operands is DataType.FP32))


def _channels(layer: Layer) -> int | None:
    """Of a convolution's input, None if unknown or for a matrix product."""
    source = source_of(layer) if product_type(layer) in CONVOLUTIONS else None
    shape = None if source is None else source.shape
    return shape[1] if shape is not None and len(shape) > 2 else None


def _has_few_channels(layer: Layer, operands: DataType) -> bool:
    """Whether a convolution sums over too few channels for tensor cores: those of one group, or of an image in INT8."""
    if "depthwise" in layer.subtype.lower():
        return True
    channels, groups = _channels(layer), groups_of(layer) or 1
    if channels is None or (groups == 1 and operands is not DataType.INT8):
        return False
    return channels // groups * (operands.bits or 8) < 8 * _TAKEN_BYTES


def _padding(layer: Layer) -> float:
    """MACs of the first convolution's tensor core kernels, which take four channels, over the MACs needed."""
    channels = _channels(layer)
    return _FEWEST / channels if channels and channels < _FEWEST and groups_of(layer) in (1, None) else 1.0


def _finding(engine: AnalyzedEngine, position: int, operands: DataType, rates: DeviceRates) -> Finding:
    layer, work, roofline = engine.layers[position], engine.performance.works[position], engine.performance.roofline
    time_ms = engine.times[position]
    rate = _rate(rates, operands)
    savings: dict[int, float] = {}
    gain = None
    if rate > 0 and work.macs is not None and time_ms > 0 and position not in engine.streamed:
        memory = (float(roofline.memory_ms[position]), float(roofline.l2_ms[position]))
        best = max(2e3 * work.macs * _padding(layer) / rate, LAUNCH_MS, *(bound for bound in memory if bound == bound))
        gain = max(0.0, time_ms - best)
        savings = {layer.index: gain} if gain else {}
    kind = "TF32" if operands is DataType.FP32 else operands.label
    message = f"{main_operation(layer)} multiplies {operands.label} without tensor cores: its kernel runs on CUDA cores"
    if gain is not None:
        message += f"; up to {ms(gain)} of {cost(time_ms, engine)}"
    return Finding(
        message,
        layers=(layer.index,),
        savings=savings,
        formula=_FORMULA if savings else "",
        evidence=(
            Evidence("kernel", layer.tactic or layer.subtype),
            Evidence("operands", operands.label),
            Evidence("MACs", work.macs),
            Evidence("time", time_ms if time_ms == time_ms else None, "ms"),
        ),
        fix=_fix(operands),
        documentation=_DOCUMENTATION,
        how_to_check=f"the name of this layer's kernel contains tensor, hmma, imma or {kind.lower()}",
        confidence=0.6 if operands is DataType.FP32 else 0.9,
        severity=Severity.NOTE if gain == 0.0 else None,
    )


def _fix(operands: DataType) -> tuple[str, ...]:
    if operands is DataType.FP32:
        return (
            "build with FP16: trtexec --fp16 (TensorRT 10 and before), or an ONNX model in FP16 (strongly typed)",
            "leave TF32 on: no --noTF32",
            "trtexec --builderOptimizationLevel=5",
        )
    multiple = 32 if operands is DataType.INT8 else 8
    return (
        f"pad input and output channels to multiples of {multiple} (zero weights) and build again",
        "trtexec --builderOptimizationLevel=5, without a timing cache of another build",
        "do not restrict --tacticSources",
    )


RULE = Rule(
    "CONV001",
    "tensor cores idle",
    Severity.WARNING,
    check,
    needs_measurement=True,
    yields_to=("PREC001", "PREC002", "PREC004"),
)
