"""ONNX element type (TensorProto.DataType in onnx.proto) → DataType."""

from __future__ import annotations

from trex.core.data_type import DataType

_TYPES = {
    1: DataType.FP32,
    2: DataType.UINT8,
    3: DataType.INT8,
    4: DataType.UINT16,
    5: DataType.INT16,
    6: DataType.INT32,
    7: DataType.INT64,
    9: DataType.BOOL,
    10: DataType.FP16,
    11: DataType.FP64,
    12: DataType.UINT32,
    13: DataType.UINT64,
    14: DataType.COMPLEX64,
    15: DataType.COMPLEX128,
    16: DataType.BF16,
    17: DataType.FP8,
    18: DataType.FP8,
    19: DataType.FP8,
    20: DataType.FP8,
    22: DataType.INT4,
    23: DataType.FP4,
    24: DataType.E8M0,
}


def onnx_type(number: int) -> DataType:
    """UNKNOWN for the types that TensorRT does not support: strings, UINT4, 2- and 6-bit types."""
    return _TYPES.get(number, DataType.UNKNOWN)
