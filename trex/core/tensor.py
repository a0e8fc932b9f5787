"""Tensor: an input or output of a layer; Binding: an input or output of the engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from trex.core.data_type import DataType
from trex.core.frozen import frozen
from trex.core.shape import Shape, shape_text, volume
from trex.core.tensor_format import TensorFormat


@frozen
class Tensor:
    """One input or output of a layer. A name is no identity: TensorRT reuses names.

    shape: None for an unknown dimension; None as a whole if the rank is unknown.
    size_bytes: stored bytes, with vector padding, sub-byte types rounded up; None if unknown.
    location: ``Device``, ``Host``, or ``""`` if the file does not say.
    raw: its own record, verbatim.
    """

    name: str
    shape: Shape | None
    data_type: DataType
    format: TensorFormat
    size_bytes: int | None
    location: str
    raw: dict[str, Any]

    @property
    def precision(self) -> str:
        """Label of the data type (``FP16``); TREx's name."""
        return self.data_type.label

    @property
    def volume(self) -> int | None:
        """Number of logical elements, without padding."""
        return volume(self.shape)

    @property
    def data_size(self) -> float | None:
        """Bytes per element (0.5 for 4-bit types), None if unknown."""
        return self.data_type.item_bytes

    def tooltip(self) -> str:
        """Shape, type with layout, and size, one per line."""
        size = "unknown size" if self.size_bytes is None else f"{self.size_bytes:,} bytes"
        return f"{shape_text(self.shape)}\n{self._type_text()}\n{size}"

    def __str__(self) -> str:
        """``x: 1x8x4x4 FP16 NHWC8``."""
        return f"{self.name}: {shape_text(self.shape)} {self._type_text()}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """For notebooks, alone or in a list."""
        printer.text(str(self))

    def _type_text(self) -> str:
        return f"{self.precision} {self.format.label}" if self.format.is_known else self.precision

    def size_bytes_at(self, shape: Shape) -> int | None:
        """Stored bytes if the tensor had this shape, such as a profile's min, opt or max shape."""
        return self.data_type.size_bytes(self.format.padded_volume(shape))


@dataclass(frozen=True, slots=True)
class ShapeRange:
    """The shapes that one optimization profile allows for one binding; None if not reported."""

    minimum: Shape | None
    optimum: Shape | None
    maximum: Shape | None


def of_binding(own: Shape | None, seen: Tensor) -> Tensor:
    """What a layer reads or writes as an engine's input or output, in the shape that the engine states.

    own: that shape, None if it is not stated. seen: the tensor as the layer has it, which says the format. The layer
    may see it reshaped: TensorRT for RTX flattens the inputs of matrix products, which is no other batch.
    """
    if own is None or seen.shape is None or own == seen.shape:
        return seen
    is_static = None not in own and None not in seen.shape
    is_reshaped = volume(own) == seen.volume if is_static else len(own) != len(seen.shape)
    return replace(seen, shape=own) if is_reshaped else seen


@dataclass(frozen=True, slots=True)
class Binding:
    """An input or output of the whole engine.

    name: as in the engine, without the ``[profile N]`` suffix. is_input: None if unknown. tensor: None if no layer
    uses it. profiles: one ShapeRange per optimization profile, empty if not reported.
    """

    name: str
    is_input: bool | None
    tensor: Tensor | None
    profiles: tuple[ShapeRange, ...] = ()
