"""DataType: the element types of TensorRT engines, with their widths."""

from __future__ import annotations

from enum import Enum


class DataType(Enum):
    """An element type. label: for users (``FP16``). bits: the stored width, None if unknown.

    The set is TensorRT's DataType enumeration (FLOAT=0 … E8M0=11) plus the types that only Myelin's inspector
    output uses (INT16, UINT16, UINT32, UINT64, FP64, complex). BOOL is stored in one byte.
    """

    FP64 = ("FP64", 64, "float")
    FP32 = ("FP32", 32, "float")
    FP16 = ("FP16", 16, "float")
    BF16 = ("BF16", 16, "float")
    FP8 = ("FP8", 8, "float")
    FP4 = ("FP4", 4, "float")
    E8M0 = ("E8M0", 8, "scale")
    INT64 = ("INT64", 64, "int")
    INT32 = ("INT32", 32, "int")
    INT16 = ("INT16", 16, "int")
    INT8 = ("INT8", 8, "int")
    INT4 = ("INT4", 4, "int")
    UINT64 = ("UINT64", 64, "int")
    UINT32 = ("UINT32", 32, "int")
    UINT16 = ("UINT16", 16, "int")
    UINT8 = ("UINT8", 8, "int")
    BOOL = ("BOOL", 8, "bool")
    COMPLEX64 = ("COMPLEX64", 64, "complex")
    COMPLEX128 = ("COMPLEX128", 128, "complex")
    UNKNOWN = ("Unknown", None, "unknown")

    label: str
    bits: int | None
    kind: str

    def __init__(self, label: str, bits: int | None, kind: str) -> None:
        self.label = label
        self.bits = bits
        self.kind = kind

    # Members compare by identity, and Enum's own __hash__ re-hashes the name on every dictionary look-up.
    __hash__ = object.__hash__

    @property
    def is_known(self) -> bool:
        return self.bits is not None

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def item_bytes(self) -> float | None:
        """Bytes per element (0.5 for the 4-bit types), None if unknown."""
        return None if self.bits is None else self.bits / 8

    def size_bytes(self, count: int | None) -> int | None:
        """Bytes of ``count`` packed elements, rounded up to a whole byte; None if either is unknown."""
        if count is None or self.bits is None:
            return None
        return -(-count * self.bits // 8)

    def __str__(self) -> str:
        return self.label
