"""IOFormat: the type and format in which a kernel reads or writes a tensor, and the cost of a reformat."""

from __future__ import annotations

from typing import NamedTuple

from trex.core.data_type import DataType
from trex.core.shape import Shape
from trex.core.tensor_format import TensorFormat

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
