"""TensorFormat: the memory layout of a tensor, which determines its padded size."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.shape import Shape, volume


@dataclass(frozen=True, slots=True)
class TensorFormat:
    """A memory layout.

    label: TREx's short name (``NCHW``, ``NHWC8``, ``NC/32HW32``) or ``Unknown``.
    layout: ``linear`` (row major), ``channels-last``, ``vectorized`` (channel blocks of ``vector`` elements),
        ``dla`` (the deep learning accelerator's own layouts) or ``unknown``.
    vector: the channel count is padded to a multiple of this (1: no padding). Source: TensorRT's TensorFormat
        enumeration (CHW32 is [N][(C+31)/32][H][W][32], HWC8 is [N][H][W][(C+7)/8*8]).
    channel_axis: index of the channel dimension in the logical shape, negative from the end; None if the layout has
        none. Source: TensorFormat in NvInferRuntimeBase.h of TensorRT 10: the vector dimension is third to
        last, in formats for three spatial dimensions fourth to last.
    spatial_dims: 3 for the formats that name three spatial dimensions, else 2.
    text: the parsed words, verbatim.
    """

    label: str
    layout: str
    vector: int = 1
    channel_axis: int | None = -3
    spatial_dims: int = 2
    text: str = ""

    @property
    def is_known(self) -> bool:
        return self.layout != "unknown"

    def padded_shape(self, shape: Shape | None) -> Shape | None:
        """The logical shape with its channel dimension rounded up to the vector width.

        None for a shape without such a dimension: TensorRT's vector formats need three dimensions or more.
        """
        axis = self.channel_axis
        if shape is None or self.vector <= 1 or axis is None:
            return shape
        if axis < 0:
            axis += len(shape)
        if not 0 <= axis < len(shape):
            return None
        channels = shape[axis]
        if channels is None:
            return shape
        padded = -(-channels // self.vector) * self.vector
        return (*shape[:axis], padded, *shape[axis + 1 :])

    def padded_volume(self, shape: Shape | None) -> int | None:
        """Number of stored elements with padding; None if a dimension is unknown, or there are too few."""
        return volume(self.padded_shape(shape))

    def __str__(self) -> str:
        return self.label


UNKNOWN_FORMAT = TensorFormat("Unknown", "unknown")
