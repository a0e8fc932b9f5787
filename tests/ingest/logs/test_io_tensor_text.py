"""Lines of I/O tensors: written by hand in the form of TensorRT for RTX 1.7.1."""

import pytest

from trex.ingest.logs.io_tensor_text import io_tensor

DYNAMIC = (
    " Name: x, y: [1], IOMode: Input, DataType: Float, Dimensions: [-1,64], Location: Device, "
    "IsShapeInferenceIO: false, ProfileInfo: [ { MinShape: [1,64], OptShape: [8,64], MaxShape: [32,64], "
    "Format: Row major linear FP32 format (kLINEAR) }, "
    "{ MinShape: [1,64], OptShape: [2,64], MaxShape: [4,64], Format: Row major linear FP32 format (kLINEAR) }]"
)


def test_an_input_has_its_profiles() -> None:
    record = io_tensor(DYNAMIC)
    assert record is not None
    assert record["Name"] == "x, y: [1]" and record["IOMode"] == "Input" and record["Dimensions"] == [-1, 64]
    assert record["IsShapeInferenceIO"] is False and record["Location"] == "Device"
    assert [profile["OptShape"] for profile in record["ProfileInfo"]] == [[8, 64], [2, 64]]
    assert {profile["Format"] for profile in record["ProfileInfo"]} == {"Row major linear FP32 format (kLINEAR)"}


def test_a_scalar_output_has_no_dimensions() -> None:
    record = io_tensor("Name: y, IOMode: Output, DataType: Int64, Dimensions: [], ProfileInfo: [ { Format: Scalar }]")
    assert record == {
        "Name": "y", "IOMode": "Output", "DataType": "Int64", "Dimensions": [], "ProfileInfo": [{"Format": "Scalar"}]
    }  # fmt: skip


def test_other_lines_are_none() -> None:
    assert io_tensor("input.1") is None
    assert io_tensor("Name: x, LayerType: kgen, Inputs: []") is None


@pytest.mark.parametrize("dimension", ["1 3", "1-3", "--5", "9" * 5000])
def test_what_is_no_dimension_is_unknown(dimension: str) -> None:
    tensor = io_tensor(f"Name: x, IOMode: Input, DataType: Float, Dimensions: [2,{dimension},-1]")
    assert tensor is not None and tensor["Dimensions"] == [2, None, -1]
