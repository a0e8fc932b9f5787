"""Types and formats → the words of TensorRT's engine inspector."""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.core.tensor_format import TensorFormat

_TYPES = {
    DataType.FP64: "Double", DataType.FP32: "Float", DataType.FP16: "Half", DataType.BF16: "BFloat16",
    DataType.FP8: "FP8", DataType.FP4: "FP4", DataType.E8M0: "E8M0", DataType.INT64: "Int64", DataType.INT32: "Int32",
    DataType.INT16: "Int16", DataType.INT8: "Int8", DataType.INT4: "Int4", DataType.UINT8: "UInt8",
    DataType.UINT16: "UInt16", DataType.UINT32: "UInt32", DataType.UINT64: "UInt64", DataType.BOOL: "Bool",
}  # fmt: skip
_LINEAR = {
    DataType.FP32: "Row major linear FP32", DataType.FP16: "Row major linear FP16 format",
    DataType.INT8: "Row major Int8 format", DataType.INT32: "Row major linear Int32",
    DataType.BOOL: "Row major linear BOOL",
}  # fmt: skip
_IN_VECTORS = {DataType.INT8: "Int8", DataType.BF16: "BFloat16"}
_WIDTHS = {2: "Two", 4: "Four", 8: "Eight", 16: "Sixteen", 32: "Thirty-two"}
_SHORT = {
    DataType.FP32: "f32", DataType.FP16: "f16", DataType.BF16: "bf16", DataType.FP8: "e4m3", DataType.FP4: "e2m1",
    DataType.INT8: "i8", DataType.INT4: "i4", DataType.INT32: "i32", DataType.INT64: "i64", DataType.BOOL: "b8",
}  # fmt: skip


def type_word(data_type: DataType) -> str:
    """``Half``: for weights and Myelin's tensors."""
    return _TYPES.get(data_type, "None")


def format_sentence(data_type: DataType, layout: TensorFormat) -> str:
    """``Channel major FP16 format where channel % 8 == 0``; the type alone if the format is unknown."""
    if layout.layout == "linear":
        return _LINEAR.get(data_type, f"Row major linear {_label(data_type)} format")
    spatial = " with 3 spatial dimensions" if layout.spatial_dims == 3 else ""
    if layout.layout == "vectorized":
        width = _WIDTHS.get(layout.vector, str(layout.vector))
        return f"{width} wide channel vectorized row major {_label(data_type)} format{spatial}"
    if layout.layout == "channels-last":
        alignment = f" where channel % {layout.vector} == 0" if layout.vector > 1 else ""
        return f"Channel major {_label(data_type)} format{alignment}{spatial}"
    return type_word(data_type)


def short_type(data_type: DataType) -> str:
    """``f16``: in names of kernels."""
    return _SHORT.get(data_type, data_type.label.lower())


def layout_word(layout: TensorFormat) -> str:
    """``nchw_vect_c_32``: in names of kernels."""
    if layout.layout == "vectorized":
        return f"nchw_vect_c_{layout.vector}"
    return "nhwc" if layout.layout == "channels-last" else "nchw"


def _label(data_type: DataType) -> str:
    return _IN_VECTORS.get(data_type) or (data_type.label if data_type.label.isupper() else type_word(data_type))
