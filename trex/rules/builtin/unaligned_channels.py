"""Channels that are not a multiple of what tensor cores load.

What it finds: convolutions whose input channels C or output channels K, and matrix products whose N or K, are not a
multiple of 16 bytes of the operands' type (FP16 and BF16: 8, TF32: 4, INT8 and FP8: 16, 4-bit types: 32), and channels
that are not a multiple of the vector of their format (INT8 in NC/32HW32: 32), where the padding is several percent.
Why it matters: kernels for tensor cores load 16 bytes at a time. Other channel counts are padded with zeros, which are
loaded, multiplied and stored like data. The savings are the padding, as far as arithmetic bounds the layer; CONV001
reports the cost of a kernel without tensor cores.
What to try: choose channel counts that are such multiples: round down (the padding is saved) or up (the added channels
are free, as today's padding costs the same). For INT8 multiples of 32; from compute capability 8.0 on multiples of 64
(FP16) and 128 (INT8) are best.
Does not apply: kernels on CUDA cores, which pad nothing; fewer channels than one multiple (the three of an image, a
squeeze of four): no smaller count computes less; the channels of an output of the engine, which the task gives; grouped
and depthwise convolutions, which memory bounds; layers that memory or the launch bounds with and without the padding;
positions of the data (N of a 1×1 convolution as a GEMM).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import prod

import numpy as np

from trex.core.data_type import DataType
from trex.core.tensor import Tensor
from trex.perf.roofline import LAUNCH_MS
from trex.plan.gemm import groups_of
from trex.plan.listed_operands import product_type, source_of, stored_shapes
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import CONVOLUTIONS, GEMMS
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import listed, main_operation, ms

ALIGNMENT_BYTES = 16
BEST_BYTES = 128
"""From compute capability 8.0 on. Source: NVIDIA, Matrix Multiplication Background User's Guide, table 1."""
_TYPES = frozenset(
    (DataType.FP16, DataType.BF16, DataType.FP32, DataType.INT8, DataType.FP8, DataType.INT4, DataType.FP4)
)
_SAFE = 32
"""A multiple of every alignment and of every format's vector."""
_FORMULA = (
    "time · (1 − attainable without padding / attainable with it), the padded MACs being MACs · padded C · padded K / "
    "(C · K), padded to the format's vector, else to 16 bytes; time · share of the padding if the device is unknown"
)
_DOCUMENTATION = (
    "NVIDIA Deep Learning Performance: Convolutional Layers User's Guide, Channels In and Out",
    "NVIDIA Deep Learning Performance: Matrix Multiplication Background User's Guide, Requirements to Use Tensor Cores",
    "TensorRT Developer Guide: Optimizing for Tensor Cores",
)


@dataclass(frozen=True, slots=True)
class _Extent:
    """name: C, K or N. multiple: what the format or the kernel pads to. padded: the least that the kernel computes."""

    name: str
    size: int
    multiple: int
    padded: int

    @property
    def is_padded(self) -> bool:
        """Whether a smaller count computes less: not below one multiple, which a kernel computes anyway."""
        return self.padded > self.size > self.multiple

    @property
    def rounded_down(self) -> int:
        return self.size // self.multiple * self.multiple


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    unknown: list[int] = []
    feeds = cache(partial(_feeding_gemms, engine))  # most engines need it for no layer
    for position in engine.of_type(*GEMMS):
        layer, kernel = engine.layers[position], engine.kernels[position]
        operands = engine.operand_type(position)
        if kernel.tensor_core is False or (operands is DataType.FP32 and not kernel.tensor_core):
            continue
        if operands not in _TYPES or not layer.inputs or not layer.outputs:
            if not operands.is_known and groups_of(layer) in (1, None):
                unknown.append(position)
            continue
        of_kind = _of_convolution if product_type(layer) in CONVOLUTIONS else _of_product
        extents = of_kind(engine, position, operands, feeds)
        if extents == () or groups_of(layer) not in (1, None):
            continue
        if extents is None:
            unknown.append(position)
            continue
        padded = [extent for extent in extents if extent.is_padded]
        waste = 1 - prod(extent.size / extent.padded for extent in padded)
        saved = _saved_share(engine, position, waste)
        if padded and 100 * waste >= limits["padding"] and saved > 0:
            yield _finding(engine, position, operands, padded, waste, saved)
    if unknown:
        yield Unchecked(
            f"type or channels of {len(unknown):,} GEMMs are unknown",
            "export the layer information at a static shape, from a context with its shapes set",
            engine.indexes(unknown),
        )


def _saved_share(engine: AnalyzedEngine, position: int, waste: float) -> float:
    """Share of the layer's time without its padding: less than the padding where something else bounds the layer, 0
    where it waits for weights from the host.
    """
    if position in engine.streamed:
        return 0.0
    roofline = engine.performance.roofline
    multiply_ms = float(roofline.multiply_ms[position])
    if not np.isfinite(multiply_ms):
        return waste
    others = (float(part[position]) for part in (roofline.other_ms, roofline.memory_ms, roofline.l2_ms))
    floor = max(LAUNCH_MS, *(part for part in others if np.isfinite(part)))
    return 1 - max(multiply_ms, floor) / max(multiply_ms / (1 - waste), floor)


def _multiple(operands: DataType, size_bytes: int = ALIGNMENT_BYTES) -> int:
    return max(1, size_bytes * 8 // (operands.bits or 8))


def _extent(name: str, tensor: Tensor, size: int, multiple: int) -> _Extent:
    multiple = tensor.format.vector if tensor.format.vector > 1 else multiple
    return _Extent(name, size, multiple, -(-size // multiple) * multiple)


def _of_convolution(
    engine: AnalyzedEngine, position: int, operands: DataType, feeds: Callable[[], Sequence[bool]]
) -> tuple[_Extent, ...] | None:
    layer = engine.layers[position]
    source, output = source_of(layer), layer.outputs[0]
    if source is None or not source.shape or not output.shape or len(source.shape) < 3 or len(output.shape) < 3:
        return None
    channels, maps = source.shape[1], output.shape[1]
    if not channels or not maps:
        return None
    if channels % _SAFE == 0 == maps % _SAFE:
        return ()
    multiple = _multiple(operands)
    extents = (_extent("C", source, channels, multiple), _extent("K", output, maps, multiple))
    return extents if feeds()[position] else extents[:1]


def _of_product(
    engine: AnalyzedEngine, position: int, operands: DataType, feeds: Callable[[], Sequence[bool]]
) -> tuple[_Extent, ...] | None:
    gemm = engine.performance.works[position].gemm
    if gemm is None or not gemm.n or not gemm.k:
        return None
    if gemm.n % _SAFE == 0 == gemm.k % _SAFE:
        return ()
    multiple = _multiple(operands)
    extents = [("N", gemm.n), ("K", gemm.k)]
    matrices = [shape for shape in stored_shapes(engine.layers[position].raw) or () if gemm.k in shape]
    if not feeds()[position] or (matrices and not any(gemm.n in shape for shape in matrices)):
        extents = extents[1:]  # of a stored first operand, N counts positions of the data
    return tuple(_Extent(name, size, multiple, -(-size // multiple) * multiple) for name, size in extents)


def _feeding_gemms(engine: AnalyzedEngine) -> list[bool]:
    """Per position: whether a later GEMM reads its result, if need be through other layers. The others write outputs
    of the engine, whose channels the task gives: the classes of a classifier.
    """
    feeds = [False] * len(engine.layers)
    for position in range(len(feeds) - 1, -1, -1):
        feeds[position] = any(engine.operations.is_gemm(after) or feeds[after] for after in engine.after(position))
    return feeds


def _finding(
    engine: AnalyzedEngine,
    position: int,
    operands: DataType,
    padded: list[_Extent],
    waste: float,
    saved: float,
) -> Finding:
    layer = engine.layers[position]
    savings = engine.savings([position], saved)
    multiples = listed(str(extent.multiple) for extent in padded)
    sizes = ", ".join(f"{extent.name} = {extent.size} → {extent.padded}" for extent in padded)
    choices = ", ".join(f"{extent.name} = {extent.rounded_down} / {extent.padded}" for extent in padded)
    message = (
        f"{main_operation(layer)} ({operands.label}) is padded to multiples of {multiples}: {sizes}; "
        f"{100 * waste:.0f} % of its work is padding"
    )
    if savings:
        message += f", {ms(sum(savings.values()))}"
    fixes = [f"choose multiples of {multiples} in the model: {choices}"]
    if engine.capability is not None and engine.capability >= 80 and product_type(layer) not in CONVOLUTIONS:
        fixes.append(f"best from compute capability 8.0 on: multiples of {_multiple(operands, BEST_BYTES)}")
    return Finding(
        message,
        layers=(layer.index,),
        savings=savings,
        formula=_FORMULA if savings else "",
        evidence=(
            *(Evidence(extent.name, extent.size) for extent in padded),
            *(Evidence(f"multiple for {extent.name}", extent.multiple) for extent in padded),
            Evidence("padding", 100 * waste, "%"),
        ),
        fix=tuple(fixes),
        documentation=_DOCUMENTATION,
        how_to_check="compare the layer's time with aligned channels, at the same batch",
        confidence=0.7,
    )


RULE = Rule(
    "CONV003",
    "unaligned channels",
    Severity.WARNING,
    check,
    {"padding": RuleLimit(5.0, "%", "least share of padding")},
)
