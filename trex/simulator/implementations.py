"""Implementation: one way to run a step: the type and format of each of its tensors, and the costs of it and of
reformats.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import prod
from typing import NamedTuple

from trex.core.data_type import DataType
from trex.core.shape import Shape, volume
from trex.core.tensor_format import TensorFormat
from trex.perf.arithmetic import Arithmetic
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.fusion import has_weights, weights_of

FLOATS = frozenset({DataType.FP32, DataType.FP16, DataType.BF16})
_ON_MATRIX_UNITS, _ON_CUDA_CORES = 0.5, 0.35
"""Shares of the peak. Kernels without matrix units reach less: address arithmetic uses the same pipes."""
_COMMON_GPU = {"bytes": 5e11, "cuda": 1e13, "matrix": 5e13}


class Implementation(NamedTuple):
    """reads, writes: one format for each input and output; reads is None for a reformat, which reads any format and
    whose seconds exclude that. seconds: of the step. precision: of the computation.
    """

    reads: tuple[IOFormat, ...] | None
    writes: tuple[IOFormat, ...]
    seconds: float
    precision: DataType


class FormatCosts:
    """Costs of implementations on a device: at shares of its published peaks, or of a common GPU's if they
    are unknown.
    """

    def __init__(self, editor: DraftEditor) -> None:
        self.editor = editor
        self.target = editor.draft.target
        rate = self.target.device.bytes_per_s
        self.bytes_per_s = _COMMON_GPU["bytes"] if rate is None else rate.per_second
        self._rates: dict[tuple[DataType, bool], float] = {}
        self.known: dict[Hashable, tuple[Implementation, ...]] = {}
        """Implementations of steps that only their shape and types determine: thousands of copies share them."""

    def shape_of(self, name: str) -> Shape | None:
        return self.editor.shape_of(name)

    def type_of(self, name: str, float_type: DataType | None = None) -> DataType:
        """A tensor's type in a step that computes floats in ``float_type``; without it the model's type."""
        own = self.editor.type_of(name)
        return float_type if float_type is not None and own in FLOATS else own

    def float_types(self, step: BuildStep) -> tuple[DataType | None, ...]:
        """Types of a step's floats, the preferred first; (None,) if the model's own types apply."""
        types: tuple[DataType | None, ...] = step.facts.get("float_types", ())
        return types or ((None,) if self.target.strongly_typed else (DataType.FP32,))

    def uniform(
        self, step: BuildStep, float_type: DataType | None, read: TensorFormat, written: TensorFormat
    ) -> Implementation:
        """All inputs in one format, all outputs in one, floats in one type."""
        reads = [IOFormat(self.type_of(name, float_type), read) for name in step.inputs]
        writes = [IOFormat(self.type_of(name, float_type), written) for name in step.outputs]
        first = writes[0] if writes else IOFormat(DataType.UNKNOWN, written)
        precision = step.precision if step.precision.is_known else (float_type or first.type)
        return self.implementation(step, reads, writes, precision)

    def implementation(
        self, step: BuildStep, reads: Iterable[IOFormat], writes: Iterable[IOFormat], precision: DataType
    ) -> Implementation:
        """An implementation with the cost of reading, writing and MACs, one after the other."""
        read, written = tuple(reads), tuple(writes)
        tensors = [*zip(step.inputs, read, strict=True), *zip(step.outputs, written, strict=True)]
        moved = sum(format_bytes(slot, self.shape_of(name)) for name, slot in tensors) / self.bytes_per_s
        seconds = moved
        if has_weights(step) and read:
            is_matrix = read[0].layout.layout != "linear" or precision is not DataType.FP32
            seconds += 2 * self._macs(step) / self._rate(precision, is_matrix)
        return Implementation(read, written, seconds, precision)

    def _rate(self, precision: DataType, is_matrix: bool) -> float:
        key = (precision, is_matrix)
        ops_per_s = self._rates.get(key)
        if ops_per_s is None:
            is_tf32 = is_matrix and precision is DataType.FP32
            rate = self.target.device.ops_per_s(Arithmetic(precision, tensor_core=is_matrix, tf32=is_tf32))
            otherwise = _COMMON_GPU["matrix" if is_matrix else "cuda"]
            share = _ON_MATRIX_UNITS if is_matrix else _ON_CUDA_CORES
            ops_per_s = share * (otherwise if rate is None else rate.per_second)
            self._rates[key] = ops_per_s
        return ops_per_s

    def _macs(self, step: BuildStep) -> int:
        """MACs of a step with stored weights, at assumed shapes; 0 if ranks are unknown."""
        name = weights_of(step)
        stored = None if name is None else self.editor.draft.model.value(name)
        shape = assumed_shape(self.shape_of(step.outputs[0]))
        if step.facts.get("pooling") is not None and step.main is not None:
            shape = assumed_shape(self.shape_of(step.main.outputs[0]))
        count = None if stored is None else volume(assumed_shape(stored.shape))
        if count is None or shape is None:
            return 0
        positions = shape[:-1] if step.kind is StepKind.MATRIX_MULTIPLY else (*shape[:1], *shape[2:])
        return count * prod(size for size in positions if size is not None)


def rank_of(shape: Shape | None) -> int:
    return -1 if shape is None else len(shape)


def is_one_pixel(shape: Shape | None) -> bool:
    """Whether a tensor has more than two dimensions, all of size one after the channels."""
    return shape is not None and len(shape) > 2 and all(size == 1 for size in shape[2:])


LINEAR = TensorFormat("NCHW", "linear")
NHWC = TensorFormat("NHWC", "channels-last")
NHWC4 = TensorFormat("NHWC4", "channels-last", 4)
NHWC8 = TensorFormat("NHWC8", "channels-last", 8)
NHWC16 = TensorFormat("NHWC16", "channels-last", 16)
NDHWC8 = TensorFormat("NDHWC8", "channels-last", 8, -4, 3)
CHW2 = TensorFormat("NC/2HW2", "vectorized", 2)
CHW4 = TensorFormat("NC/4HW4", "vectorized", 4)
CHW32 = TensorFormat("NC/32HW32", "vectorized", 32)

LAUNCH_S = 3e-6
"""Cost of a reformat in addition to its bytes: its launch, and the idle device while it begins and ends. Similar to
NVIDIA's own figures for short kernels (2 to 5 µs; https://developer.nvidia.com/blog/cuda-graphs/)."""
RELABEL_S = 1e-9
"""Almost nothing: of two equal implementations the one with fewer relabelings is selected."""
_UNKNOWN_COUNT = 1 << 20
_UNKNOWN_SIZE = 32


class IOFormat(NamedTuple):
    """Type and format."""

    type: DataType
    layout: TensorFormat

    def __str__(self) -> str:
        return f"{self.type} {self.layout}"


def assumed_shape(shape: Shape | None) -> Shape | None:
    """The shape with 32 for unknown dimensions, so that implementations can be ranked."""
    return None if shape is None else tuple(_UNKNOWN_SIZE if size is None else size for size in shape)


def format_bytes(slot: IOFormat, shape: Shape | None) -> float:
    """Bytes of a tensor, padding included; of a million values if the rank is unknown."""
    count = slot.layout.padded_volume(assumed_shape(shape) if shape is not None and None in shape else shape)
    return (_UNKNOWN_COUNT if count is None else count) * (slot.type.item_bytes or 4)


def is_relabeled(one: IOFormat, other: IOFormat, shape: Shape | None) -> bool:
    """Whether the same bytes serve as both: formats that differ in their padding of channels only, or tensors of one
    pixel.
    """
    if one.type is not other.type:
        return False
    if one.layout == other.layout:
        return True
    if shape is None or len(shape) < 3:
        return True
    channels = shape[1]
    padding = max(one.layout.vector, other.layout.vector)
    if channels is None or (padding > 1 and channels % padding):
        return False
    if one.layout.layout == other.layout.layout == "channels-last":
        return True
    return all(size == 1 for size in shape[2:])


def reformat_seconds(one: IOFormat, other: IOFormat, shape: Shape | None, bytes_per_s: float) -> float:
    """Time of a reformat."""
    if one == other:
        return 0.0
    if is_relabeled(one, other, shape):
        return RELABEL_S
    return LAUNCH_S + (format_bytes(one, shape) + format_bytes(other, shape)) / bytes_per_s
