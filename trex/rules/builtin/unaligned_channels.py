"""Channels that are no multiple of what tensor cores take.

What it finds: convolutions whose input channels C or output channels K, and matrix products whose N or K, are no
multiple of 16 bytes of the operands' type (FP16 and BF16: 8, TF32: 4, INT8 and FP8: 16, 4-bit types: 32), and channels
that are no multiple of the vector of the format they are stored in (INT8 in NC/32HW32: 32).
Why it matters: kernels for tensor cores load 16 bytes at a time. Other channel counts are padded with zeros, which are
loaded, multiplied and stored like data, or kept from the fastest kernels altogether. What is padded is the price told;
where a kernel without tensor cores was taken, CONV001 tells what that costs.
What to try: choose channel counts that are such multiples: round up (the cost is the same as today's padding, so the
added channels are free) or down (the padding is saved). For INT8 multiples of 32, from compute capability 8.0 on
multiples of 64 (FP16) and 128 (INT8) are best.
Does not apply: to FP32 kernels on the CUDA cores; to the first convolution, whose three or four channels are given
(TensorRT has kernels of their own for it; it is told as a note); to grouped convolutions, of which only the padding
of the format counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from trex.core.data_type import DataType
from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.operations import capability_of
from trex.rules.rule import Limit, Rule
from trex.rules.type_flow import CONVOLUTIONS, PRODUCTS
from trex.rules.wording import main_operation, ms

ALIGNMENT_BYTES = 16
BEST_BYTES = 128
"""From compute capability 8.0 on. Source: NVIDIA, Matrix Multiplication Background User's Guide, table 1."""
_TYPES = frozenset(
    (DataType.FP16, DataType.BF16, DataType.FP32, DataType.INT8, DataType.FP8, DataType.INT4, DataType.FP4)
)
_SAFE = 32
"""A multiple of every alignment and of every format's vector: channels of this kind are not looked at further."""
_FEW = 4
_LITTLE = 0.05
_FORMULA = (
    "time · (1 − C · K / (padded C · padded K)), padded to the format's vector, else to 16 bytes; of grouped channels "
    "the larger padding alone"
)
_DOCUMENTATION = (
    "NVIDIA Deep Learning Performance: Convolutional Layers User's Guide, Channels In and Out",
    "NVIDIA Deep Learning Performance: Matrix Multiplication Background User's Guide, Requirements to Use Tensor Cores",
    "TensorRT Developer Guide: Optimizing for Tensor Cores",
)


@dataclass(frozen=True, slots=True)
class _Extent:
    """name: C, K or N. multiple: that it should be of. padded: what is computed at least."""

    name: str
    size: int
    multiple: int
    padded: int

    @property
    def is_aligned(self) -> bool:
        return self.size % self.multiple == 0


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    unknown: list[int] = []
    for place in seen.of_type(*PRODUCTS):
        layer, kernel = seen.layers[place], seen.kernels[place]
        operands = kernel.input_type if kernel.input_type.is_known else layer.compute.data_type
        if operands is DataType.FP32 and not kernel.tensor_core:
            continue
        if operands not in _TYPES or not layer.inputs or not layer.outputs:
            if not operands.is_known:
                unknown.append(layer.index)
            continue
        extents = (
            _of_convolution(seen, place, operands) if layer.type in CONVOLUTIONS else _of_product(seen, place, operands)
        )
        if extents is None:
            unknown.append(layer.index)
        elif any(not each.is_aligned for each in extents):
            useful = [each.size / each.padded for each in extents]
            waste = 1 - (min(useful) if _groups(seen, place) != 1 else prod(useful))
            if 100 * waste >= limits["padding"]:
                yield _finding(seen, place, operands, extents, waste)
    if unknown:
        yield CannotTell(
            f"{len(unknown):,} of the products do not tell their type or how many channels they have",
            "export the layer information at a static shape, from a context with its shapes set",
            tuple(unknown),
        )


def _groups(seen: Inspected, place: int) -> object:
    record = seen.layers[place].raw
    return record.get("Groups", record.get("ConvolutionGroups", 1))


def _bytes_multiple(operands: DataType, size_bytes: int = ALIGNMENT_BYTES) -> int:
    return max(1, size_bytes * 8 // (operands.bits or 8))


def _extent(name: str, tensor: Tensor, size: int, multiple: int) -> _Extent:
    vector = max(1, tensor.format.vector)
    padded = -(-size // vector) * vector if vector > 1 else -(-size // multiple) * multiple
    return _Extent(name, size, max(multiple, vector), padded)


def _of_convolution(seen: Inspected, place: int, operands: DataType) -> tuple[_Extent, ...] | None:
    layer = seen.layers[place]
    source, output = layer.inputs[0], layer.outputs[0]
    if not source.shape or not output.shape or len(source.shape) < 3 or len(output.shape) < 3:
        return None
    channels, maps = source.shape[1], output.shape[1]
    if not channels or not maps:
        return None
    if channels % _SAFE == 0 == maps % _SAFE:
        return ()
    multiple = _bytes_multiple(operands) if _groups(seen, place) == 1 else 1
    return _extent("C", source, channels, multiple), _extent("K", output, maps, multiple)


def _of_product(seen: Inspected, place: int, operands: DataType) -> tuple[_Extent, ...] | None:
    work = seen.performance.works[place]
    if not work.n or not work.k:
        return None
    if work.n % _SAFE == 0 == work.k % _SAFE:
        return ()
    multiple = _bytes_multiple(operands)
    return tuple(
        _Extent(name, size, multiple, -(-size // multiple) * multiple) for name, size in (("N", work.n), ("K", work.k))
    )


def _finding(seen: Inspected, place: int, operands: DataType, extents: tuple[_Extent, ...], waste: float) -> Finding:
    layer = seen.layers[place]
    is_first = layer.type in CONVOLUTIONS and extents[0].size <= _FEW
    bad = [each for each in extents if not each.is_aligned]
    words = " and ".join(f"{each.name} = {each.size} is no multiple of {each.multiple}" for each in bad)
    at_stake = {index: part for index, part in seen.stake([place], waste).items() if part > 0}
    message = f"{main_operation(layer)} ({operands.label}): {words}; {100 * waste:.0f} % of what it computes is padding"
    if at_stake:
        message += f", {ms(sum(at_stake.values()))}"
    capability = capability_of(seen)
    advice = [
        f"set {each.name} to {each.padded if each.padded % each.multiple == 0 else _up(each)} "
        f"(or down to {_down(each)}) in the model"
        for each in bad
        if not (is_first and each.name == "C")
    ]
    if is_first and not extents[0].is_aligned:
        advice.append(
            f"feed the {extents[0].size} channels in a vectorized format: --inputIOFormats=fp16:hwc8 or int8:chw4"
        )
    if capability is not None and capability >= 80 and layer.type not in CONVOLUTIONS:
        advice.append(f"best from compute capability 8.0 on: multiples of {_bytes_multiple(operands, BEST_BYTES)}")
    return Finding(
        message,
        (layer.index,),
        at_stake,
        _FORMULA if at_stake else "",
        tuple(Evidence(each.name, each.size) for each in extents)
        + tuple(Evidence(f"multiple for {each.name}", each.multiple) for each in bad)
        + (Evidence("padding", 100 * waste, "%"),),
        tuple(advice),
        _DOCUMENTATION,
        "the time of the layer with aligned channels, at the same batch",
        0.3 if is_first else 0.7,
        Severity.NOTE if is_first or waste < _LITTLE else None,
    )


def _up(extent: _Extent) -> int:
    return -(-extent.size // extent.multiple) * extent.multiple


def _down(extent: _Extent) -> int:
    return max(extent.size // extent.multiple * extent.multiple, extent.multiple)


RULE = Rule(
    "CONV003",
    "unaligned channels",
    Severity.WARNING,
    check,
    {"padding": Limit(0.0, "%", "least share of padding that is told")},
)
