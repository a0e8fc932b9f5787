"""Tensor: what flows along one edge of the engine graph, and Binding: a tensor at the engine's border."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trex.core.data_type import DataType
from trex.core.frozen import frozen
from trex.core.shape import Shape, shape_text, volume
from trex.core.tensor_format import TensorFormat


@frozen
class Tensor:
    """One input or output of a layer. A name is not an identity: TensorRT reuses names over time.

    shape: None for an unknown dimension; None as a whole when the rank is unknown.
    size_bytes: stored bytes, vector padding included and sub-byte types rounded up; None when unknown.
    location: ``Device``, ``Host`` or ``""`` when the file does not say.
    raw: the tensor's own record, verbatim.
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
        """Label of the data type (``FP16``): the name TREx users know."""
        return self.data_type.label

    @property
    def volume(self) -> int | None:
        """Number of logical elements, padding not included."""
        return volume(self.shape)

    @property
    def data_size(self) -> float | None:
        """Bytes per element (0.5 for 4-bit types), None when unknown."""
        return self.data_type.item_bytes

    def tooltip(self) -> str:
        """Shape, type with layout, and size, one per line."""
        size = "unknown size" if self.size_bytes is None else f"{self.size_bytes:,} bytes"
        return f"{shape_text(self.shape)}\n{self._type_text()}\n{size}"

    def __str__(self) -> str:
        """``x: 1x8x4x4 FP16 NHWC8``."""
        return f"{self.name}: {shape_text(self.shape)} {self._type_text()}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What a notebook shows of it, alone or in a list."""
        printer.text(str(self))

    def _type_text(self) -> str:
        return f"{self.precision} {self.format.label}" if self.format.is_known else self.precision

    def size_bytes_at(self, shape: Shape) -> int | None:
        """Stored bytes if the tensor had ``shape``: for sizes at a profile's min, opt or max shape."""
        return self.data_type.size_bytes(self.format.padded_volume(shape))


@dataclass(frozen=True, slots=True)
class ShapeRange:
    """The shapes one optimization profile allows for one binding; each None when not reported."""

    minimum: Shape | None
    optimum: Shape | None
    maximum: Shape | None


@dataclass(frozen=True, slots=True)
class Binding:
    """An input or output of the whole engine.

    name: as it is written in the engine (no ``[profile N]`` suffix). is_input: None when it could not be decided.
    tensor: its data as a layer sees it, None when no layer mentions it.
    profiles: one ShapeRange per optimization profile, empty when not reported.
    """

    name: str
    is_input: bool | None
    tensor: Tensor | None
    profiles: tuple[ShapeRange, ...] = ()
