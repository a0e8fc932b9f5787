import pytest

from trex.core.data_type import DataType
from trex.ingest.onnx_facts import onnx_type

proto = pytest.importorskip("onnx").TensorProto


@pytest.mark.parametrize(
    ("name", "data_type"),
    [
        ("FLOAT", DataType.FP32),
        ("FLOAT16", DataType.FP16),
        ("BFLOAT16", DataType.BF16),
        ("INT8", DataType.INT8),
        ("INT64", DataType.INT64),
        ("BOOL", DataType.BOOL),
        ("FLOAT8E4M3FN", DataType.FP8),
        ("INT4", DataType.INT4),
        ("STRING", DataType.UNKNOWN),
        ("UNDEFINED", DataType.UNKNOWN),
    ],
)
def test_types_are_onnx_own(name, data_type):
    assert onnx_type(proto.DataType.Value(name)) is data_type


def test_widths_are_those_of_onnx():
    numpy_type = pytest.importorskip("onnx").helper.tensor_dtype_to_np_dtype
    for name, number in proto.DataType.items():
        known = onnx_type(number)
        if (known.bits or 0) < 8:
            continue
        is_substitute = number != proto.FLOAT and numpy_type(number) == "float32"  # in old releases of onnx
        if not is_substitute:
            assert numpy_type(number).itemsize * 8 == known.bits, name


def test_numbers_of_the_future_are_unknown():
    assert onnx_type(999) is DataType.UNKNOWN
