from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.data_type import DataType
from trex.ingest.spelling.tensor_formats import UNKNOWN_LAYOUT_LABEL, parse_format, parse_split

SENTENCES = [
    ("Row major linear FP32", "FP32", "NCHW", "linear", 1),
    ("Row major linear FP16 format", "FP16", "NCHW", "linear", 1),
    ("Row major linear BFloat16 format", "BF16", "NCHW", "linear", 1),
    ("Row major linear Int32", "INT32", "NCHW", "linear", 1),
    ("Row major linear Int64 format", "INT64", "NCHW", "linear", 1),
    ("Row major linear UInt8 format", "UINT8", "NCHW", "linear", 1),
    ("Row major linear FP8 format", "FP8", "NCHW", "linear", 1),
    ("Row major linear BOOL", "BOOL", "NCHW", "linear", 1),
    ("Row major linear FP4 format (kLINEAR)", "FP4", "NCHW", "linear", 1),
    ("Row major linear FP16 format (kLINEAR)", "FP16", "NCHW", "linear", 1),
    ("Row major Int8 format", "INT8", "NCHW", "linear", 1),
    ("Row major Int8 format.", "INT8", "NCHW", "linear", 1),
    ("Two wide channel vectorized row major FP16 format", "FP16", "NC/2HW2", "vectorized", 2),
    ("Two wide channel vectorized row major BFloat16 format", "BF16", "NC/2HW2", "vectorized", 2),
    ("Four wide channel vectorized row major Int8 format", "INT8", "NC/4HW4", "vectorized", 4),
    ("Four wide channel vectorized row major FP32 format", "FP32", "NC/4HW4", "vectorized", 4),
    ("Sixteen wide channel vectorized row major FP16 format", "FP16", "NC/16HW16", "vectorized", 16),
    ("Thirty-two wide channel vectorized row major Int8 format", "INT8", "NC/32HW32", "vectorized", 32),
    ("Thirty two wide channel vectorized row major FP16 format", "FP16", "NC/32HW32", "vectorized", 32),
    ("Sixty-four wide channel vectorized row major Int8 format", "INT8", "NC/64HW64", "vectorized", 64),
    ("32 wide channel vectorized row major Int8 format", "INT8", "NC/32HW32", "vectorized", 32),
    (
        "Thirty-two wide channel vectorized row major Int8 format with 3 spatial dimensions",
        "INT8",
        "NC/32DHW32",
        "vectorized",
        32,
    ),
    ("Channel major FP32 format", "FP32", "NHWC", "channels-last", 1),
    ("Channel major FP32 format where channel % 4 == 0", "FP32", "NHWC4", "channels-last", 4),
    ("Channel major FP16 format where channel % 8 == 0", "FP16", "NHWC8", "channels-last", 8),
    ("Channel major FP16 format where C % 8 == 0 and H Stride % 32 == 0", "FP16", "NHWC8", "channels-last", 8),
    ("Channel major FP16 format where channel % 16 == 0", "FP16", "NHWC16", "channels-last", 16),
    ("Channel major INT8 format where channel % 16 == 0", "INT8", "NHWC16", "channels-last", 16),
    ("Channel major BFloat16 format where channel % 8 == 0", "BF16", "NHWC8", "channels-last", 8),
    (
        "Channel major FP16 format where channel % 8 == 0 with 3 spatial dimensions",
        "FP16",
        "NDHWC8",
        "channels-last",
        8,
    ),
    ("Channel major FP16 format where channel == 4 and column stride % 32 == 0", "FP16", "DLA NHWC4", "dla", 4),
    ("Channel major INT8 format where channel == 1 and column stride % 32 == 0", "INT8", "DLA NHWC", "dla", 1),
    ("Row major linear INT8 format where column stride % 64 == 0", "INT8", "DLA NCHW", "dla", 1),
]


@pytest.mark.parametrize(("text", "data_type", "label", "layout", "vector"), SENTENCES)
def test_long_sentences(text: str, data_type: str, label: str, layout: str, vector: int) -> None:
    parsed_type, tensor_format = parse_format(text)
    assert (parsed_type.label, tensor_format.label, tensor_format.layout, tensor_format.vector) == (
        data_type,
        label,
        layout,
        vector,
    )
    assert tensor_format.text == text
    assert tensor_format.spatial_dims == (3 if "3 spatial" in text else 2)


NAMES = [
    ("kLINEAR", "NCHW"),
    ("Linear", "NCHW"),
    ("kCHW2", "NC/2HW2"),
    ("kHWC8", "NHWC8"),
    ("kCHW4", "NC/4HW4"),
    ("kCHW16", "NC/16HW16"),
    ("CHW32", "NC/32HW32"),
    ("kDHWC8", "NDHWC8"),
    ("kCDHW32", "NC/32DHW32"),
    ("kHWC", "NHWC"),
    ("kDLA_LINEAR", "DLA NCHW"),
    ("kDLA_HWC4", "DLA NHWC4"),
    ("kHWC16", "NHWC16"),
    ("kDHWC", "NDHWC"),
    ("TensorFormat.CHW32", "NC/32HW32"),
    ("chw", "NCHW"),
    ("fp16:hwc8", "NHWC8"),
    ("int8:chw32", "NC/32HW32"),
]


@pytest.mark.parametrize(("name", "label"), NAMES)
def test_enumeration_and_trtexec_names(name: str, label: str) -> None:
    assert parse_format(name)[1].label == label


@pytest.mark.parametrize("enum", [name for name, _ in NAMES if name.startswith("k")])
def test_an_enumeration_suffix_is_a_layout(enum: str) -> None:
    data_type, tensor_format = parse_format(f"FP16 format ({enum})")
    assert data_type is DataType.FP16
    assert tensor_format.label == parse_format(enum)[1].label != "Unknown"


@pytest.mark.parametrize("word", ["Half", "Float", "BFloat16", "FP8", "Int8", "Bool", "Int4", "FP4E2M1", "UInt16"])
def test_a_bare_type_has_no_layout(word: str) -> None:
    data_type, tensor_format = parse_format(word)
    assert data_type.is_known
    assert (tensor_format.label, tensor_format.layout) == (UNKNOWN_LAYOUT_LABEL, "unknown")
    assert tensor_format.padded_volume((1, 3, 2, 2)) == 12


@pytest.mark.parametrize(
    "text", ["N/A due to dynamic shapes", "Unknown format", "", "None", None, 7, [], "wide", "???"]
)
def test_text_without_type_or_layout(text: object) -> None:
    data_type, tensor_format = parse_format(text)
    assert data_type is DataType.UNKNOWN
    assert (tensor_format.label, tensor_format.layout) == ("Unknown", "unknown")


def test_an_unknown_sentence_still_gives_its_type() -> None:
    data_type, tensor_format = parse_format("Diagonal zigzag FP16 format")
    assert data_type is DataType.FP16
    assert tensor_format.layout == "unknown"


def test_a_list_of_allowed_layouts_is_not_one_layout() -> None:
    data_type, tensor_format = parse_format("fp16:chw+hwc8")
    assert (data_type, tensor_format.layout) == (DataType.FP16, "unknown")


@pytest.mark.parametrize("width", ["zero", "umpteen", "999999"])
def test_an_impossible_vector_width_is_not_believed(width: str) -> None:
    data_type, tensor_format = parse_format(f"{width} wide channel vectorized row major FP16 format")
    assert (data_type, tensor_format.layout) == (DataType.FP16, "unknown")


def test_three_channels_are_padded_to_the_vector() -> None:
    data_type, tensor_format = parse_format("Four wide channel vectorized row major Int8 format")
    assert data_type.size_bytes(tensor_format.padded_volume((1, 3, 224, 224))) == 4 * 224 * 224


def test_the_vector_dimension_is_third_to_last_and_of_three_spatial_dimensions_fourth_to_last() -> None:
    flat = parse_format("Channel major FP16 format where channel % 8 == 0")[1]
    assert flat.padded_shape((5, 10, 10)) == (8, 10, 10)
    assert flat.padded_shape((5, 10)) is flat.padded_volume((5, 10)) is None
    deep = parse_format("Channel major FP16 format where channel % 8 == 0 with 3 spatial dimensions")[1]
    assert deep.padded_shape((1, 5, 2, 10, 10)) == (1, 8, 2, 10, 10)
    assert deep.padded_shape((5, 2, 10, 10)) == (8, 2, 10, 10)
    dla = parse_format("Channel major FP16 format where channel == 4 and column stride % 32 == 0")[1]
    assert dla.padded_shape((1, 3, 2, 2)) == (1, 4, 2, 2)


@pytest.mark.parametrize(
    ("datatype", "layout", "label", "short"),
    [
        ("Half", "Row major linear FP16 format (kLINEAR)", "FP16", "NCHW"),
        ("Half", "kHWC8", "FP16", "NHWC8"),
        ("FP4E2M1", "kLINEAR", "FP4", "NCHW"),
        (None, "Row major linear FP32 format (kLINEAR)", "FP32", "NCHW"),
        ("BFloat16", "Row major linear FP32 format", "BF16", "NCHW"),
        ("Int8", None, "INT8", UNKNOWN_LAYOUT_LABEL),
        ("Int8", "N/A due to dynamic shapes", "INT8", UNKNOWN_LAYOUT_LABEL),
        ("Row major linear FP16 format", None, "FP16", UNKNOWN_LAYOUT_LABEL),
        (None, None, "Unknown", "Unknown"),
    ],
)
def test_split_fields(datatype: str | None, layout: str | None, label: str, short: str) -> None:
    data_type, tensor_format = parse_split(datatype, layout)
    assert (data_type.label, tensor_format.label) == (label, short)


_WIDTHS = st.integers(min_value=2, max_value=64)
_TYPES = st.sampled_from([t for t in DataType if t.is_known])


@given(
    _TYPES,
    _WIDTHS,
    st.sampled_from(["NHWC{0}", "NDHWC{0}", "NC/{0}HW{0}", "NC/{0}DHW{0}", "DLA NHWC{0}", "NCHW", "NHWC"]),
)
def test_labels_read_back(data_type: DataType, width: int, pattern: str) -> None:
    label = pattern.format(width)
    parsed_type, tensor_format = parse_format(f"{data_type.label} {label}")
    assert (parsed_type, tensor_format.label) == (data_type, label)


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    data_type, tensor_format = parse_format(text)
    assert isinstance(data_type, DataType)
    assert tensor_format.vector >= 1


def test_every_format_of_the_real_engines_is_understood(shared_engines: Path) -> None:
    texts: set[str] = set()
    for path in shared_engines.glob("*/*.graph.json"):
        for layer in json.loads(path.read_bytes())["Layers"]:
            texts.update(t["Format/Datatype"] for t in (*layer["Inputs"], *layer["Outputs"]))
    assert len(texts) > 10
    for text in texts:
        data_type, tensor_format = parse_format(text)
        assert data_type.is_known, text
        assert tensor_format.is_known == (" " in text), text
