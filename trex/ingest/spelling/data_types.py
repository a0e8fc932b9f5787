"""Spelling of an element type → DataType."""

from __future__ import annotations

from functools import lru_cache

from trex.core.data_type import DataType

_LONGEST_SPELLING = 64

# Lower case, without separators. Sources: TensorRT's inspector output (short words, and the type word of the long
# sentences), its C++ and Python enumerations, trtexec's options, and the names in ONNX, NumPy and PyTorch.
_SPELLINGS: dict[DataType, str] = {
    DataType.FP64: "double float64 fp64 f64",
    DataType.FP32: "float float32 fp32 f32 tf32 single",
    DataType.FP16: "half float16 fp16 f16",
    DataType.BF16: "bfloat16 bf16 bfloat",
    DataType.FP8: (
        "fp8 float8 f8 e4m3 e4m3fn e5m2 ue4m3 fp8e4m3 fp8e4m3fn fp8e5m2 f8e4m3 f8e4m3fn f8e5m2 "
        "float8e4m3 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz"
    ),
    DataType.FP4: "fp4 float4 f4 e2m1 fp4e2m1 f4e2m1 float4e2m1 float4e2m1fn float4e2m1fnx2 f4e2m1fn nvfp4 mxfp4",
    DataType.E8M0: "e8m0 ue8m0 e8m0fnu fp8e8m0 f8e8m0 f8e8m0fnu float8e8m0 float8e8m0fnu",
    DataType.INT64: "int64 i64 s64 long",
    DataType.INT32: "int32 i32 s32 int",
    DataType.INT16: "int16 i16 s16 short",
    DataType.INT8: "int8 i8 s8 char",
    DataType.INT4: "int4 i4 s4",
    DataType.UINT64: "uint64 u64",
    DataType.UINT32: "uint32 u32",
    DataType.UINT16: "uint16 u16",
    DataType.UINT8: "uint8 u8 byte",
    DataType.BOOL: "bool boolean bool8",
    DataType.COMPLEX64: "floatcomplex complex64 cfloat complexfloat",
    DataType.COMPLEX128: "doublecomplex complex128 cdouble complexdouble",
}
_BY_SPELLING = {word: data_type for data_type, words in _SPELLINGS.items() for word in words.split()}
_SEPARATORS = str.maketrans("", "", " _-\t")


def data_type_of(text: object) -> DataType:
    """The type of a spelling, in any case; ``DataType.UNKNOWN`` for anything else, including ``None``.

    Accepts the words of TensorRT (``Half``, ``BFloat16``, ``FP4E2M1``, ``Int8``), trtexec (``fp16``), the enumerations
    (``kHALF``, ``DataType.BF16``), NumPy, PyTorch and ONNX (``float8_e4m3fn``, ``tensor(float16)``), with a trailing
    dot or a suffix such as ``(kLINEAR)``. TF32 is a math mode: its tensors are FP32.
    """
    if not isinstance(text, str) or len(text) > _LONGEST_SPELLING:
        return DataType.UNKNOWN
    return _decode(text)


@lru_cache(maxsize=4096)
def _decode(text: str) -> DataType:
    word = text.strip().lower()
    if word.startswith("tensor("):
        word = word[len("tensor(") :].partition(")")[0]
    word = word.partition("(")[0].rstrip(". ").strip("<>'\" ")
    # An enumeration's or a module's prefix: DataType.HALF, torch.float16, trt.DataType.BF16.
    word = word.rpartition(".")[2].strip("<>'\" ").translate(_SEPARATORS)
    data_type = _BY_SPELLING.get(word)
    if data_type is None and word.startswith("k"):
        data_type = _BY_SPELLING.get(word[1:])
    return data_type or DataType.UNKNOWN
