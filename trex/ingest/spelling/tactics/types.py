"""Types as the names of kernels spell them, and what is read from several such words together."""

from __future__ import annotations

import re
from typing import Any

from trex.core.data_type import DataType

TYPES = {
    "f64": DataType.FP64,
    "f32": DataType.FP32,
    "tf32": DataType.FP32,
    "f16": DataType.FP16,
    "bf16": DataType.BF16,
    "e4m3": DataType.FP8,
    "e5m2": DataType.FP8,
    "ue4m3": DataType.FP8,
    "f8": DataType.FP8,
    "e2m1": DataType.FP4,
    "f4": DataType.FP4,
    "i64": DataType.INT64,
    "i32": DataType.INT32,
    "s32": DataType.INT32,
    "i8": DataType.INT8,
    "s8": DataType.INT8,
    "u8": DataType.UINT8,
    "i4": DataType.INT4,
    "s4": DataType.INT4,
    "fp64": DataType.FP64,
    "fp32": DataType.FP32,
    "fp16": DataType.FP16,
    "fp8": DataType.FP8,
    "int8": DataType.INT8,
    "int8x4": DataType.INT8,
    "int8x32": DataType.INT8,
    "int32": DataType.INT32,
}
LABELS = {"tf32": "TF32", "e4m3": "FP8 (E4M3)", "e5m2": "FP8 (E5M2)", "ue4m3": "FP8 (E4M3)", "e2m1": "FP4 (E2M1)"}
ACCUMULATORS = {"s": DataType.FP32, "h": DataType.FP16, "i": DataType.INT32, "d": DataType.FP64}

_UNKNOWN = DataType.UNKNOWN
_ONE_TYPE = "(tf32|bf16|f64|f32|f16|e4m3|e5m2|e2m1|i32|i8|u8|i4)"
_GROUP = re.compile(_ONE_TYPE + _ONE_TYPE + "?")
_TRIPLE = re.compile(_ONE_TYPE * 3)
_LONGEST_GROUP = 8
_FIRST_LETTERS = frozenset("tbfeiu")


def label(word: str) -> str:
    """A type's name for people."""
    if word in LABELS:
        return LABELS[word]
    found = TYPES[word]
    vector = word.rpartition("x")[2] if word.startswith("int8x") else ""
    return found.label + (f" in vectors of {vector}" if vector else "")


def type_groups(words: list[str], at: int) -> dict[str, Any] | None:
    """xmma's ``<in><out>_<multiply><accumulate>_<epilogue>``; a single type in the middle multiplies and accumulates.

    ``math`` is the multiplying type, which is no field of Tactic. None where the words are no such groups.
    """
    word = words[at]
    if word[0] not in _FIRST_LETTERS or len(word) > _LONGEST_GROUP or at + 3 > len(words):
        return None
    first = _GROUP.fullmatch(word)
    if not first or not first[2]:
        return None
    second, third = _GROUP.fullmatch(words[at + 1]), _GROUP.fullmatch(words[at + 2])
    if not second or not third or third[2]:
        return None
    math, data = second[1], TYPES[first[1]]
    # The multiplying type is the weights' own where it is the activations' too; FP32 math on FP16 data is not.
    weights = TYPES[math] if second[2] and (TYPES[math] is data or (TYPES[math].bits or 64) <= 8) else _UNKNOWN
    return {
        "input_type": data,
        "output_type": TYPES[first[2]],
        "weights_type": weights,
        "accumulate_type": TYPES[second[2] or math],
        "tf32": math == "tf32",
        "math": TYPES[math],
        "evidence": "_".join(words[at : at + 3]),
    }


def types_said(facts: dict[str, Any]) -> str:
    """The words for types that were read from one place."""
    weights = facts.get("weights_type", _UNKNOWN)
    how = "TF32" if facts.get("tf32") else weights.label if weights.is_known else ""
    accumulates = facts.get("accumulate_type", _UNKNOWN)
    said = [f"{facts['input_type'].label} in"]
    if facts.get("output_type", _UNKNOWN).is_known:
        said.append(f"{facts['output_type'].label} out")
    if how:
        said.append(f"multiplies as {how}")
    if accumulates.is_known:
        said.append(f"accumulates in {accumulates.label}")
    return ", ".join(said)


def three_types(word: str) -> dict[str, Any] | None:
    """``f16f16f32``: both operands and the accumulator."""
    triple = _TRIPLE.fullmatch(word) if len(word) <= 12 else None
    if not triple:
        return None
    return {
        "input_type": TYPES[triple[1]],
        "weights_type": TYPES[triple[2]],
        "accumulate_type": TYPES[triple[3]],
        "evidence": word,
    }


def only_type(words: list[str], *, matrix: bool) -> dict[str, Any] | None:
    """The one type that a name tells, None without any or with several. matrix: it is known to run on Tensor Cores,
    which do not multiply FP32: there it is the accumulator that is named.
    """
    named = {found for word in words if (found := TYPES.get(word)) is not None and word != "int32"}
    if len(named) != 1:
        return None
    found = named.pop()
    if found is DataType.FP32 and matrix:
        return None
    return {"input_type": found, "evidence": next(word for word in words if TYPES.get(word) is found)}
