"""Channels that are not a multiple of what tensor cores load.

What it finds: convolutions whose input channels C or output channels K, and matrix products whose N or K, are not a
multiple of 16 bytes of the operands' type (FP16 and BF16: 8, TF32: 4, INT8 and FP8: 16, 4-bit types: 32), and channels
that are not a multiple of the vector of their format (INT8 in NC/32HW32: 32).
Why it matters: kernels for tensor cores load 16 bytes at a time. Other channel counts are padded with zeros, which are
loaded, multiplied and stored like data, or exclude the fastest kernels. The savings are the padding; CONV001 reports
the cost of a kernel without tensor cores.
What to try: choose channel counts that are such multiples: round up (the added channels are free, as today's padding
costs the same) or down (the padding is saved). For INT8 multiples of 32; from compute capability 8.0 on multiples of 64
(FP16) and 128 (INT8) are best.
Does not apply: FP32 kernels on CUDA cores; the first convolution, whose three or four channels are given (TensorRT has
special kernels for it; it is a note, and nothing with TensorRT for RTX, which pads them to four itself); grouped
convolutions, except for the padding of the format; positions of the data (N of a 1×1 convolution as a GEMM).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from trex.core.data_type import DataType
from trex.core.tensor import Tensor
from trex.plan.gemm import groups_of
from trex.plan.listed_operands import product_type, source_of, stored_shapes
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import CONVOLUTIONS, GEMMS
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import main_operation, ms

ALIGNMENT_BYTES = 16
BEST_BYTES = 128
"""From compute capability 8.0 on. Source: NVIDIA, Matrix Multiplication Background User's Guide, table 1."""
_TYPES = frozenset(
    (DataType.FP16, DataType.BF16, DataType.FP32, DataType.INT8, DataType.FP8, DataType.INT4, DataType.FP4)
)
_SAFE = 32
"""A multiple of every alignment and of every format's vector."""
_FEW = 4
_LITTLE = 0.05
_FORMULA = (
    "time · (1 − C · K / (padded C · padded K)), padded to the format's vector, else to 16 bytes; for grouped channels "
    "the larger padding only"
)
_DOCUMENTATION = (
    "NVIDIA Deep Learning Performance: Convolutional Layers User's Guide, Channels In and Out",
    "NVIDIA Deep Learning Performance: Matrix Multiplication Background User's Guide, Requirements to Use Tensor Cores",
    "TensorRT Developer Guide: Optimizing for Tensor Cores",
)


@dataclass(frozen=True, slots=True)
class _Extent:
    """name: C, K or N. multiple: the alignment. padded: the least that the kernel computes."""

    name: str
    size: int
    multiple: int
    padded: int

    @property
    def is_aligned(self) -> bool:
        return self.size % self.multiple == 0

    @property
    def rounded_up(self) -> int:
        return -(-self.size // self.multiple) * self.multiple

    @property
    def rounded_down(self) -> int:
        return max(self.size // self.multiple * self.multiple, self.multiple)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    unknown: list[int] = []
    for position in engine.of_type(*GEMMS):
        layer, kernel = engine.layers[position], engine.kernels[position]
        operands = engine.operand_type(position)
        if operands is DataType.FP32 and not kernel.tensor_core:
            continue
        if operands not in _TYPES or not layer.inputs or not layer.outputs:
            if not operands.is_known:
                unknown.append(position)
            continue
        extents = (_of_convolution if product_type(layer) in CONVOLUTIONS else _of_product)(engine, position, operands)
        if extents is None:
            unknown.append(position)
        elif any(not extent.is_aligned for extent in extents):
            useful = [extent.size / extent.padded for extent in extents]
            waste = 1 - (prod(useful) if groups_of(layer) in (1, None) else min(useful))
            if 100 * waste >= limits["padding"]:
                yield _finding(engine, position, operands, extents, waste)
    if unknown:
        yield Unchecked(
            f"type or channels of {len(unknown):,} GEMMs are unknown",
            "export the layer information at a static shape, from a context with its shapes set",
            engine.indexes(unknown),
        )


def _multiple(operands: DataType, size_bytes: int = ALIGNMENT_BYTES) -> int:
    return max(1, size_bytes * 8 // (operands.bits or 8))


def _extent(name: str, tensor: Tensor, size: int, multiple: int) -> _Extent:
    vector = max(1, tensor.format.vector)
    padded = -(-size // vector) * vector if vector > 1 else -(-size // multiple) * multiple
    return _Extent(name, size, max(multiple, vector), padded)


def _of_convolution(engine: AnalyzedEngine, position: int, operands: DataType) -> tuple[_Extent, ...] | None:
    layer = engine.layers[position]
    source, output = source_of(layer), layer.outputs[0]
    if source is None or not source.shape or not output.shape or len(source.shape) < 3 or len(output.shape) < 3:
        return None
    channels, maps = source.shape[1], output.shape[1]
    if not channels or not maps:
        return None
    if channels % _SAFE == 0 == maps % _SAFE:
        return ()
    multiple = _multiple(operands) if groups_of(layer) in (1, None) else 1
    extents = (_extent("C", source, channels, multiple), _extent("K", output, maps, multiple))
    return extents[1:] if channels <= _FEW and engine.is_for_rtx else extents


def _of_product(engine: AnalyzedEngine, position: int, operands: DataType) -> tuple[_Extent, ...] | None:
    gemm = engine.performance.works[position].gemm
    if gemm is None or not gemm.n or not gemm.k:
        return None
    if gemm.n % _SAFE == 0 == gemm.k % _SAFE:
        return ()
    multiple = _multiple(operands)
    extents = [("N", gemm.n), ("K", gemm.k)]
    matrices = [shape for shape in stored_shapes(engine.layers[position].raw) or () if gemm.k in shape]
    if matrices and not any(gemm.n in shape for shape in matrices):
        extents = extents[1:]  # the stored matrix is the first operand: N counts positions of the data
    return tuple(_Extent(name, size, multiple, -(-size // multiple) * multiple) for name, size in extents)


def _finding(
    engine: AnalyzedEngine, position: int, operands: DataType, extents: tuple[_Extent, ...], waste: float
) -> Finding:
    layer = engine.layers[position]
    is_convolution = product_type(layer) in CONVOLUTIONS
    is_first = is_convolution and extents[0].name == "C" and extents[0].size <= _FEW
    bad = [extent for extent in extents if not extent.is_aligned]
    words = " and ".join(f"{extent.name} = {extent.size} is not a multiple of {extent.multiple}" for extent in bad)
    savings = {index: saved for index, saved in engine.savings([position], waste).items() if saved > 0}
    message = (
        f"{main_operation(layer)} ({operands.label}) is padded: {words}; {100 * waste:.0f} % of its work is padding"
    )
    if savings:
        message += f", {ms(sum(savings.values()))}"
    fixes = [
        f"set {extent.name} to {extent.padded if extent.padded % extent.multiple == 0 else extent.rounded_up} "
        f"(or down to {extent.rounded_down}) in the model"
        for extent in bad
        if not (is_first and extent.name == "C")
    ]
    if is_first and not extents[0].is_aligned:
        fixes.append(
            f"pass the {extents[0].size} channels in a vectorized format: --inputIOFormats=fp16:hwc8 or int8:chw4"
        )
    if engine.capability is not None and engine.capability >= 80 and not is_convolution:
        fixes.append(f"best from compute capability 8.0 on: multiples of {_multiple(operands, BEST_BYTES)}")
    return Finding(
        message,
        layers=(layer.index,),
        savings=savings,
        formula=_FORMULA if savings else "",
        evidence=(
            *(Evidence(extent.name, extent.size) for extent in extents),
            *(Evidence(f"multiple for {extent.name}", extent.multiple) for extent in bad),
            Evidence("padding", 100 * waste, "%"),
        ),
        fix=tuple(fixes),
        documentation=_DOCUMENTATION,
        how_to_check="compare the layer's time with aligned channels, at the same batch",
        confidence=0.3 if is_first else 0.7,
        severity=Severity.NOTE if is_first or waste < _LITTLE else None,
    )


RULE = Rule(
    "CONV003",
    "unaligned channels",
    Severity.WARNING,
    check,
    {"padding": RuleLimit(0.0, "%", "least share of padding")},
)
