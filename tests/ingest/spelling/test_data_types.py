from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.data_type import DataType
from trex.ingest.spelling.data_types import data_type_of

SPELLINGS = {
    DataType.FP64: "Double float64 fp64",
    DataType.FP32: "Float FLOAT fp32 FP32 float32 kFLOAT TF32 torch.float32 tensor(float)",
    DataType.FP16: "Half FP16 fp16 float16 kHALF DataType.HALF trt.float16 tensor(float16)",
    DataType.BF16: "BFloat16 bf16 BF16 bfloat16 kBF16 trt.DataType.BF16",
    DataType.FP8: "FP8 fp8 FP8E4M3 FP8E4M3FN float8_e4m3fn float8_e5m2 E4M3 kFP8",
    DataType.FP4: "FP4 fp4 FP4E2M1 float4_e2m1fn_x2 e2m1 kFP4 NVFP4",
    DataType.E8M0: "E8M0 e8m0 kE8M0 float8_e8m0fnu",
    DataType.INT64: "Int64 int64 INT64 long",
    DataType.INT32: "Int32 int32 kINT32 int",
    DataType.INT16: "Int16",
    DataType.INT8: "Int8 INT8 int8 kINT8 s8",
    DataType.INT4: "Int4 int4",
    DataType.UINT64: "UInt64",
    DataType.UINT32: "UInt32",
    DataType.UINT16: "UInt16",
    DataType.UINT8: "UInt8 uint8 kUINT8",
    DataType.BOOL: "Bool BOOL bool bool_ kBOOL",
    DataType.COMPLEX64: "FloatComplex complex64",
    DataType.COMPLEX128: "DoubleComplex complex128",
}


@pytest.mark.parametrize(("word", "expected"), [(w, t) for t, words in SPELLINGS.items() for w in words.split()])
def test_every_spelling(word: str, expected: DataType) -> None:
    assert data_type_of(word) is expected
    assert data_type_of(word.upper()) is expected
    assert data_type_of(f" {word.lower()}. ") is expected


@pytest.mark.parametrize(
    "nothing", [None, "", "None", "k", "Unknown", "FP17", "Row major", 3, ["Half"], {"a": 1}, "x" * 9999]
)
def test_other_words_are_no_types(nothing: object) -> None:
    assert data_type_of(nothing) is DataType.UNKNOWN


def test_bf16_is_two_bytes_and_not_fp32() -> None:
    assert data_type_of("BFloat16").label == "BF16"
    assert data_type_of("BFloat16").size_bytes(4) == 8


def test_bool_takes_a_byte_and_int4_half_of_one_rounded_up() -> None:
    assert data_type_of("BOOL").size_bytes(4) == 4
    assert data_type_of("Int4").size_bytes(3) == 2


def test_a_suffix_and_quotes_do_not_hide_the_type() -> None:
    assert data_type_of("FP4 (kLINEAR)") is DataType.FP4
    assert data_type_of("<dtype: 'float16'>") is DataType.UNKNOWN
    assert data_type_of("'float16'") is DataType.FP16


@pytest.mark.parametrize("data_type", [t for t in DataType if t.is_known])
def test_labels_read_back(data_type: DataType) -> None:
    assert data_type_of(data_type.label) is data_type


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert isinstance(data_type_of(text), DataType)
